//! End-to-end and command line tests; see `all/`. Measurements that the
//! documentation quotes are kept under `measurements/`.

#![forbid(unsafe_code)]
