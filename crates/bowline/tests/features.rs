//! The acceptance statements of the feature list, one test each, named after it: `f10_b_…` is item 10, letter b.
//! `cargo test -p bowline --test features -- --list` lists them.

#[cfg(test)]
mod features {
    mod f01_sources;
    mod f02_shapes;
    mod f03_event_names;
    mod f04_validation;
    mod f05_merging;
    mod f06_plugins_skills_agents;
    mod f07_events;
    mod f08_payload;
    mod f09_environment;
    mod f10_matchers;
    mod f11_command;
    mod f12_prompt;
    mod f13_timeouts;
    mod f14_modes;
    mod f15_failures;
    mod f16_output;
    mod f17_merge;
    mod f18_outcomes;
    mod f19_api;
    mod f41_sensitive_files;
    #[cfg(feature = "mcp")]
    mod mcp_tool;
    mod parts;
    mod place;
    mod rewrites;
}
