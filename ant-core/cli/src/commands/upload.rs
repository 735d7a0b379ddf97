//! `ant upload`, `ant resume` and `ant download`: files on the network.

use std::{
    fmt::Write,
    io::IsTerminal,
    path::{Path, PathBuf},
    time::Instant,
};

use ant_core::Client;
use ant_payments::{
    DataMap, FileSource, JournalEntry, Payer, Progress, Storage, Upload, Uploaded, download,
    write_whole,
};
use ant_testnet::Testnet;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    args::{DownloadArgs, ResumeArgs, UploadArgs, WalletArgs},
    exit::Failure,
    interrupt::Interrupt,
    network::{CommandContext, NetworkSelection},
    output::print,
    wallet::PaymentChain,
};

/// What an upload or a resumption is given.
pub(crate) struct CheckedInput {
    what: What,
    wallet: WalletArgs,
    manifest: Option<PathBuf>,
    pub(crate) chosen: NetworkSelection,
}

enum What {
    Upload {
        source: FileSource,
        data_map: PathBuf,
    },
    Resume,
}

impl CheckedInput {
    pub(crate) fn upload(args: UploadArgs) -> Result<Self, Failure> {
        let file = args
            .file
            .canonicalize()
            .map_err(|error| Failure::BadInput(format!("{}: {error}", args.file.display())))?;
        if !file.is_file() {
            return Err(Failure::BadInput(format!(
                "{}: it is not a file; archive a folder first",
                args.file.display()
            )));
        }
        let data_map = args.data_map.unwrap_or_else(|| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            PathBuf::from(format!("{name}.datamap"))
        });
        // Found out now, and not when all is paid.
        if data_map.exists() {
            return Err(Failure::BadInput(format!(
                "{} is there already; name another file with --data-map",
                data_map.display()
            )));
        }
        let source = FileSource {
            file,
            public: args.public,
            content: None,
        };
        let what = What::Upload { source, data_map };
        let chosen = NetworkSelection::paying(&args.network, 1)?;
        Ok(Self {
            what,
            wallet: args.wallet,
            manifest: args.network.manifest,
            chosen,
        })
    }

    pub(crate) fn resume(args: ResumeArgs) -> Result<Self, Failure> {
        let chosen = NetworkSelection::paying(&args.network, 1)?;
        if chosen.own.is_some() {
            return Err(Failure::BadInput(
                "a testnet of our own has nothing to resume; give --manifest FILE, or --profile"
                    .to_owned(),
            ));
        }
        Ok(Self {
            what: What::Resume,
            wallet: args.wallet,
            manifest: args.network.manifest,
            chosen,
        })
    }
}

pub(crate) async fn run(ready: CheckedInput, ground: CommandContext<'_>) -> Result<(), Failure> {
    let CheckedInput {
        what,
        wallet,
        manifest,
        chosen,
    } = ready;
    // What can be known of the wallet is known before anything is started.
    let remote = match &chosen.own {
        None => {
            let chain = PaymentChain::remote(manifest.as_deref(), &chosen.settings)?;
            Some(chain.payer(&wallet, None)?)
        }
        Some(_) => None,
    };
    let interrupt = Interrupt::new()?;
    let (mut interrupt, testnet) = Box::pin(interrupt.starting(chosen.start(ground))).await?;
    let work = async {
        let payer = match (remote, testnet.as_ref().and_then(Testnet::chain)) {
            (Some(payer), _) => payer,
            (None, Some(chain)) => PaymentChain::own(chain).payer(&wallet, Some(ground.folder))?,
            (None, None) => return Err(Failure::failed("the testnet has no chain")),
        };
        let target = chosen.target(ground, testnet.as_ref());
        let client = Client::connect(target.client.clone()).await?;
        client.warm_up().await;
        let done = match what {
            What::Upload { source, data_map } => {
                one(&client, &payer, ground.folder, &source, Some(&data_map)).await
            }
            What::Resume => resume(&client, &payer, ground.folder).await,
        };
        client.close().await;
        done
    };
    let done = interrupt.or(Box::pin(work)).await;
    interrupt.last_call();
    if let Some(testnet) = testnet {
        testnet.stop().await;
    }
    done
}

/// Uploads one file, or goes on with it if no data map is wanted, and says what
/// came of it.
async fn one(
    client: &Client,
    payer: &Payer,
    folder: &Path,
    source: &FileSource,
    data_map: Option<&Path>,
) -> Result<(), Failure> {
    let chunks = folder.join("chunks");
    tokio::fs::create_dir_all(&chunks)
        .await
        .map_err(|error| Failure::failed(format!("{}: {error}", chunks.display())))?;
    let storage = Storage::new(client);
    let upload = Upload {
        client,
        payer,
        storage: &storage,
        folder: &chunks,
    };
    eprintln!("{}, paid by {}", source.file.display(), payer.address());
    let bar = bar();
    let watch = |progress| show(&bar, progress);
    let uploaded = match data_map {
        Some(_) => upload.run(source, watch).await,
        None => upload.resume(source, watch).await,
    };
    bar.finish_and_clear();
    // Another file's chunks may come next. What cannot be removed now goes with the
    // folder that it is in.
    let _ = tokio::fs::remove_dir_all(&chunks).await;
    let uploaded = uploaded?;
    if let Some(path) = data_map {
        let map = rmp_serde::to_vec(&uploaded.data_map).map_err(Failure::failed)?;
        write_whole(path, &map)?;
    }
    print(&summary(&uploaded, data_map))
}

/// Goes on with every upload that something was paid for. One that cannot go on
/// keeps no other from it.
async fn resume(client: &Client, payer: &Payer, folder: &Path) -> Result<(), Failure> {
    let mut failures = Vec::new();
    // Each is said at once: another run would not say it again.
    let mut failed = |failure: Failure| {
        failure.report();
        failures.push(failure);
    };
    let entries = payer.live_entries(|expired| failed(Failure::failed(expired)));
    let sources = sources(entries.await?);
    for source in &sources {
        if let Err(failure) = one(client, payer, folder, source, None).await {
            let name = source.file.display().to_string();
            failed(failure.about(&name));
        }
    }
    if sources.is_empty() && failures.is_empty() {
        return print("nothing is left to resume\n");
    }
    Failure::all(failures, "not everything that was paid for is stored")
}

/// The files whose chunks these entries pay for, each once.
fn sources(entries: Vec<JournalEntry>) -> Vec<FileSource> {
    let mut sources = Vec::new();
    for entry in entries {
        match entry.signed.source {
            Some(source)
                if sources
                    .iter()
                    .any(|other: &FileSource| other.is_file_of(&source)) => {}
            Some(source) => sources.push(source),
            None => eprintln!("note: a payment of another program is left alone"),
        }
    }
    sources
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} chunks  {msg}") {
        bar.set_style(style);
    }
    bar
}

fn show(bar: &ProgressBar, progress: Progress) {
    let say = |text: String| bar.suspend(|| eprintln!("{text}"));
    match progress {
        Progress::Expired(expired) => say(format!("note: {expired}")),
        Progress::Changed(chunks) => say(format!(
            "note: {chunks} chunks that were paid for are not of this file as it is now; their \
             receipt is kept"
        )),
        Progress::Encrypted(chunks) => say(format!("{chunks} chunks encrypted")),
        Progress::Looked { of, there } => {
            bar.set_length(of as u64);
            bar.set_position(there as u64);
            say(format!("{there} of {of} are on the network already"));
        }
        Progress::Costs { chunks, at_most } => {
            bar.set_message("paying");
            say(format!("{chunks} chunks cost {at_most} atto at most"));
        }
        Progress::Paid { amount, gas } => {
            bar.set_message("storing");
            say(format!("paid {amount} atto, and {gas} wei of gas"));
        }
        Progress::Stored(_) => bar.inc(1),
        _ => {}
    }
}

fn summary(uploaded: &Uploaded, data_map: Option<&Path>) -> String {
    let mut text = String::new();
    let Uploaded {
        chunks,
        there,
        payments,
        amount,
        gas,
        took,
        ..
    } = uploaded;
    let _ = writeln!(
        text,
        "chunks      {chunks}, {there} of them were stored before"
    );
    let _ = writeln!(
        text,
        "paid        {amount} atto in {payments} payments, and {gas} wei of gas"
    );
    for (phase, time) in [
        ("encrypting", took.encrypting),
        ("looking", took.looking),
        ("preparing", took.preparing),
        ("paying", took.paying),
        ("storing", took.storing),
    ] {
        let _ = writeln!(text, "{phase:<11} {:.1} s", time.as_secs_f64());
    }
    if let Some(address) = uploaded.address {
        let _ = writeln!(text, "address     {}", hex::encode(address));
    }
    match (data_map, uploaded.address) {
        (Some(path), _) => {
            let _ = writeln!(text, "data map    {}", path.display());
        }
        (None, None) => text.push_str(
            "data map    not written: `ant upload` of the same file writes it, and pays nothing\n",
        ),
        (None, Some(_)) => {}
    }
    text
}

/// A download, its input read.
pub(crate) struct CheckedDownload {
    from: From,
    to: PathBuf,
    pub(crate) chosen: NetworkSelection,
}

enum From {
    Map(Box<DataMap>),
    Address([u8; 32]),
}

impl CheckedDownload {
    pub(crate) fn new(args: DownloadArgs) -> Result<Self, Failure> {
        let chosen = NetworkSelection::new(&args.network, 1)?;
        if chosen.own.is_some() {
            return Err(Failure::BadInput(
                "a testnet of our own has nothing to download; give --manifest FILE, or --profile"
                    .to_owned(),
            ));
        }
        let mut address = [0; 32];
        let from = if hex::decode_to_slice(&args.from, &mut address).is_ok() {
            From::Address(address)
        } else {
            let bad = |error: &dyn std::fmt::Display| {
                Failure::BadInput(format!(
                    "{}: {error}; a data map's file is wanted, or an address of 64 hexadecimal \
                     digits",
                    args.from
                ))
            };
            let bytes = std::fs::read(&args.from).map_err(|error| bad(&error))?;
            let map = rmp_serde::from_slice(&bytes).map_err(|error| bad(&error))?;
            From::Map(Box::new(map))
        };
        if args.to.exists() {
            return Err(Failure::BadInput(format!(
                "{} is there already; name another file",
                args.to.display()
            )));
        }
        Ok(Self {
            from,
            to: args.to,
            chosen,
        })
    }

    pub(crate) async fn run(self, ground: CommandContext<'_>) -> Result<(), Failure> {
        let Self { from, to, chosen } = self;
        let mut interrupt = Interrupt::new()?;
        let target = chosen.target(ground, None);
        let work = async {
            let client = Client::connect(target.client.clone()).await?;
            let storage = Storage::new(&client);
            let started = Instant::now();
            let read = async {
                let map = match from {
                    From::Map(map) => *map,
                    From::Address(address) => storage.data_map(&address).await?,
                };
                download(&storage, &map, &to).await
            };
            let read = read.await;
            let took = started.elapsed();
            client.close().await;
            Ok::<_, Failure>((read?, took))
        };
        let done = interrupt.or(Box::pin(work)).await;
        interrupt.last_call();
        let (bytes, took) = done?;
        let (to, took) = (to.display(), took.as_secs_f64());
        print(&format!(
            "{bytes} bytes in {to}, reading took {took:.1} s\n"
        ))
    }
}
