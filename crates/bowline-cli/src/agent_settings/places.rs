//! Where a person's files are, as the entries say it to `bowline-hook`. A project may set the variables for the agent that
//! say so too, so that the entries' word has to count more.

use std::path::PathBuf;

use bowline::settings::Locations;
use bowline_agents::registrations;

/// The default path below the home folder.
const BELOW_HOME: [(&str, &str); 3] = [
    ("HOME", ""),
    ("XDG_CONFIG_HOME", "/.config"),
    ("XDG_DATA_HOME", "/.local/share"),
];

/// The variables that say where a person's files are, as they are now: `NAME=VALUE`.
pub(crate) fn now(locations: &Locations) -> Vec<String> {
    let above = |path: &Option<PathBuf>, levels: usize| {
        let path = path.as_deref()?.ancestors().nth(levels)?;
        path.to_str().map(ToOwned::to_owned)
    };
    let of_agents = registrations().filter_map(|it| {
        let variable = it.folder.variable?;
        std::env::var_os(variable)?;
        let folder = it
            .folder
            .find(|name| std::env::var_os(name), locations.home.as_deref());
        Some((variable, above(&folder, 0)))
    });
    [
        ("HOME", above(&locations.home, 0)),
        ("XDG_CONFIG_HOME", above(&locations.user_config, 2)),
        ("XDG_DATA_HOME", above(&locations.data_dir, 1)),
    ]
    .into_iter()
    .chain(of_agents)
    .filter_map(|(name, value)| Some(format!("{name}={}", value?)))
    .collect()
}

/// The arguments that say so, as few as can be: agents write a line for each when they print their settings anew.
pub(super) fn arguments(places: &[String]) -> Vec<String> {
    let home = places.iter().find_map(|it| it.strip_prefix("HOME="));
    let usual = home.map(of_home).unwrap_or_default();
    let is_usual = usual.iter().all(|it| places.contains(it));
    let home = home.filter(|_| is_usual);
    let others = places
        .iter()
        .filter(|it| home.is_none() || !usual.contains(it));
    home.map(|home| format!("--home={home}"))
        .into_iter()
        .chain(others.map(|it| format!("--env={it}")))
        .collect()
}

/// The variables that an entry's arguments set.
pub(crate) fn in_arguments(arguments: &[String]) -> Vec<String> {
    let said = arguments.iter().flat_map(|argument| {
        let home = argument.strip_prefix("--home=").map(of_home);
        let variable = argument.strip_prefix("--env=").map(str::to_owned);
        home.unwrap_or_default().into_iter().chain(variable)
    });
    said.collect()
}

fn of_home(home: &str) -> Vec<String> {
    let below = BELOW_HOME.iter();
    below
        .map(|(name, below)| format!("{name}={home}{below}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_said_in_few_words_and_read_again() {
        let places =
            |list: &[&str]| -> Vec<String> { list.iter().map(ToString::to_string).collect() };
        let usual = [
            "HOME=/home/ann",
            "XDG_CONFIG_HOME=/home/ann/.config",
            "XDG_DATA_HOME=/home/ann/.local/share",
        ];
        for (written, arguments) in [
            (&usual[..], &["--home=/home/ann"][..]),
            (
                &[usual[0], usual[1], usual[2], "CLAUDE_CONFIG_DIR=/c"],
                &["--home=/home/ann", "--env=CLAUDE_CONFIG_DIR=/c"],
            ),
            (
                &[usual[0], usual[1], "XDG_DATA_HOME=/d"],
                &[
                    "--env=HOME=/home/ann",
                    "--env=XDG_CONFIG_HOME=/home/ann/.config",
                    "--env=XDG_DATA_HOME=/d",
                ],
            ),
            (&["XDG_DATA_HOME=/d"], &["--env=XDG_DATA_HOME=/d"]),
            (&[], &[]),
        ] {
            let written = places(written);
            let found = super::arguments(&written);
            assert_eq!(found, arguments);
            assert_eq!(in_arguments(&found), written);
        }
    }
}
