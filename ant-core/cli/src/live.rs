//! Settings that a running client follows: looked at before each payment, and
//! whenever somebody asks by SIGHUP.

use std::{collections::BTreeSet, time::Duration};

use ant_config::{Look, Reloader, Settings};
use ant_core::Client;

use crate::record;

/// How long to wait until two looks agree: an editor writes a small file in far
/// less.
const SETTLE: Duration = Duration::from_millis(50);

/// A file that changes at every look is left for the next payment.
const LOOKS: usize = 20;

pub(crate) struct Live {
    reloader: Reloader,
    /// What needs a restart, as it was at the start.
    started: Settings,
    told_of_restart: bool,
    /// The notes that have been said.
    told: BTreeSet<String>,
}

impl Live {
    pub(crate) fn new(reloader: Reloader) -> Self {
        let notes = reloader.current().notes();
        for note in &notes {
            eprintln!("note: {note}");
        }
        Self {
            started: reloader.current().settings.clone(),
            reloader,
            told_of_restart: false,
            told: notes.into_iter().collect(),
        }
    }

    /// The settings in force.
    pub(crate) fn settings(&self) -> &Settings {
        &self.reloader.current().settings
    }

    /// How often new settings came into force, and how often some were rejected.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.reloader.reloads(), self.reloader.rejections())
    }

    /// Brings the client up to the files, for its next payment.
    pub(crate) async fn look(&mut self, client: &Client) -> Look {
        let mut look = self.reloader.look();
        for _ in 1..LOOKS {
            if !matches!(look, Look::Unsettled) {
                break;
            }
            tokio::time::sleep(SETTLE).await;
            look = self.reloader.look();
        }
        match &look {
            Look::Same => {}
            Look::Unsettled => {
                tracing::warn!("the profile keeps changing; the last good settings stay in force");
            }
            Look::Rejected(error) => tracing::warn!(
                "the changed settings are rejected, and the last good ones stay in force: {}",
                error.one_line()
            ),
            Look::Changed => self.take_over(client),
        }
        look
    }

    /// Looks because somebody wants to know, so says what it finds.
    pub(crate) async fn asked(&mut self, client: &Client) {
        self.reloader.ask_again();
        if matches!(self.look(client).await, Look::Same) {
            eprintln!("SIGHUP: the settings are as they were");
        }
    }

    fn take_over(&mut self, client: &Client) {
        let loaded = self.reloader.current();
        let settings = &loaded.settings;
        let epoch = client.set_terms(settings.arms(), settings.plan);
        eprintln!(
            "reloaded the profile {}: {} from the next payment on, epoch {epoch}",
            settings.profile,
            settings.ab.as_ref().map_or_else(
                || settings.pacing.to_string(),
                |arms| format!("one of {arms}")
            )
        );
        for note in loaded.notes() {
            if self.told.insert(note.clone()) {
                eprintln!("note: {note}");
            }
        }
        if let Err(failure) = record::check(settings) {
            failure.report();
        }
        let restart = settings.network != self.started.network
            || settings.payment.seed != self.started.payment.seed;
        if restart && !self.told_of_restart {
            self.told_of_restart = true;
            eprintln!("note: changes of [network] and payment.seed take effect at the next start");
        }
    }
}
