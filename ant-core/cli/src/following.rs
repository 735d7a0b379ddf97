//! Follows changes of the settings for a client that runs on: the files are looked at
//! before each payment, and whenever somebody asks by SIGHUP.

use std::{collections::BTreeSet, time::Duration};

use ant_config::{Look, Reloader, Settings};
use ant_core::Client;

use crate::record;

/// How long to wait between two looks, which must agree. An editor writes a small file
/// in far less time.
const SETTLE: Duration = Duration::from_millis(50);

/// How often to look before a payment. A file that has changed at every look is left
/// for the next payment.
const LOOKS: usize = 20;

/// The settings in force, and the files they come from.
pub(crate) struct SettingsFollower {
    reloader: Reloader,
    /// The settings at the start: some changes take effect at the next start only.
    started: Settings,
    told_of_restart: bool,
    /// The notes that have been printed: each is printed once.
    told: BTreeSet<String>,
}

impl SettingsFollower {
    /// Prints the notes on the settings that it begins with.
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

    /// Looks at the files, and gives the client what they say for its next payment.
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

    /// Looks because somebody has asked, and so also says if nothing has changed.
    pub(crate) async fn asked(&mut self, client: &Client) {
        self.reloader.ask_again();
        if matches!(self.look(client).await, Look::Same) {
            eprintln!("SIGHUP: the settings are as they were");
        }
    }

    /// Gives the client the settings now in force, and says so.
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
