//! The two system calls that have no safe form anywhere: attaching to a TUN
//! device, and asking for a real-time priority. The only `unsafe` there is.
#![allow(unsafe_code)]

use std::{
    fs::{File, OpenOptions},
    io,
    os::fd::AsRawFd,
    os::unix::fs::OpenOptionsExt,
};

use nix::libc;

/// A device for packets, without a header before each.
#[expect(clippy::cast_possible_truncation, reason = "the flags are of 16 bits")]
const FLAGS: libc::c_short = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;

/// `struct ifreq` as far as `TUNSETIFF` reads it: a name and flags, in the size
/// that the kernel copies.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; libc::IFNAMSIZ],
    flags: libc::c_short,
    rest: [u8; 22],
}

nix::ioctl_readwrite_bad!(
    tun_set_interface,
    nix::request_code_write!(b'T', 202, size_of::<libc::c_int>()),
    InterfaceRequest
);

/// Makes a TUN device of this name in the calling thread's network namespace,
/// for packets without a header before them. It ends when the file is closed.
pub(crate) fn tun(name: &str) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/dev/net/tun")?;
    let mut request = InterfaceRequest {
        name: [0; libc::IFNAMSIZ],
        flags: FLAGS,
        rest: [0; 22],
    };
    let room = &mut request.name[..libc::IFNAMSIZ - 1];
    let length = name.len().min(room.len());
    room[..length].copy_from_slice(&name.as_bytes()[..length]);
    // SAFETY: the descriptor is open, and the request is at least as large as
    // the `struct ifreq` that the kernel copies in and out (40 bytes on all
    // 64-bit systems); its name ends with a zero.
    unsafe { tun_set_interface(file.as_raw_fd(), &raw mut request) }?;
    Ok(file)
}

/// Lets the calling thread run before all ordinary ones, so that the router's
/// delays are the scenario's and not the scheduler's.
pub(crate) fn go_first() -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: 1 };
    // SAFETY: zero is the calling thread, and the parameters outlive the call.
    let result = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
