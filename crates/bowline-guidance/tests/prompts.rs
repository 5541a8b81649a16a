//! How often advice about a prompt is right, on prompts as people write them every day.
//!
//! Each line of `data/prompts` has what is right (`none`, or the last part of a text's key; several are separated by `|`) and a prompt.
//! The rule was tuned on `tuning.tsv`, and once more after a look at `fresh.tsv`. `last.tsv` was written after that and never tuned on: only its
//! figures say what to expect of other prompts. Whoever tunes on it has to write a new one.

#[cfg(test)]
mod prompts {
    use bowline_guidance::intent::{ActiveWork, advice};

    const NONE: &str = "none";

    /// What was right, and what was said.
    #[derive(Debug, Default)]
    struct Score {
        prompts: u32,
        said: u32,
        right: u32,
        /// Prompts that should get advice.
        wanted: u32,
        wrong: Vec<String>,
    }

    impl Score {
        fn of(table: &str) -> Self {
            let mut score = Self::default();
            for line in table.lines() {
                let (expected, prompt) = line.split_once('\t').unwrap();
                let expected: Vec<&str> = expected.split('|').collect();
                let said = advice(prompt, ActiveWork::None).map(|text| text.key);
                let said = said.map_or(NONE, |key| key.strip_prefix("intent.").unwrap());
                let is_right = expected.contains(&said);
                score.prompts += 1;
                score.said += u32::from(said != NONE);
                score.right += u32::from(said != NONE && is_right);
                score.wanted += u32::from(expected != [NONE]);
                if !is_right {
                    score
                        .wrong
                        .push(format!("{said} for {expected:?}: {prompt}"));
                }
            }
            score
        }

        fn precision(&self) -> f64 {
            f64::from(self.right) / f64::from(self.said)
        }

        fn recall(&self) -> f64 {
            f64::from(self.right) / f64::from(self.wanted)
        }
    }

    /// `cargo test -p bowline-guidance --test prompts -- --nocapture` prints the figures.
    #[test]
    fn f29_a_advice_about_everyday_prompts_is_mostly_right() {
        for (name, table, precision, recall) in [
            (
                "tuning",
                include_str!("data/prompts/tuning.tsv"),
                0.95,
                0.85,
            ),
            ("fresh", include_str!("data/prompts/fresh.tsv"), 0.80, 0.45),
            ("last", include_str!("data/prompts/last.tsv"), 0.65, 0.55),
        ] {
            let score = Score::of(table);
            println!(
                "{name}: {} prompts, {} told, {} of them right (precision {:.2}); {} to be told (recall {:.2})",
                score.prompts,
                score.said,
                score.right,
                score.precision(),
                score.wanted,
                score.recall()
            );
            let wrong = score.wrong.join("\n");
            assert!(score.precision() >= precision, "{name}:\n{wrong}");
            assert!(score.recall() >= recall, "{name}:\n{wrong}");
        }
    }
}
