//! Warns an agent whose budget is nearly used up, and stops one whose budget is.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_guidance::cost::budget::{Standing, USED_UP, WARNING, standing};

use super::super::Ground;
use super::is_limited;
use super::spending::Figure;
use crate::assemble::BuiltinHook;

const NAME: &str = "cost-budget";
const SUMMARY: &str = "stops an agent that has used up its budget, and warns it before";

#[derive(Debug)]
pub(in crate::guidance) struct Budget {
    ground: Arc<Ground>,
}

impl Budget {
    pub(in crate::guidance) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let ground = Arc::clone(ground);
        let is_on = is_limited(&ground.config.cost);
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }

    fn standing(&self, figure: &Figure) -> Standing {
        let percent = self.ground.spending.warn_percent();
        standing(figure.spent, figure.limit, percent)
    }

    fn deny(&self, figure: &Figure) -> Opinion {
        let (spent, limit) = (figure.spent.to_string(), figure.limit.to_string());
        let values = [
            ("budget", figure.of.name()),
            ("spent", spent.as_str()),
            ("limit", limit.as_str()),
            ("key", figure.of.key()),
            ("end", figure.of.end()),
        ];
        let text = self.ground.advice.render(&USED_UP, &values);
        // What was switched off is not said, but it holds.
        let text = text.unwrap_or_else(|| "The budget is used up.".to_owned());
        Opinion::block(text).by_rule(figure.of.rule())
    }

    fn warn(&self, figures: &[Figure], input: &HookInput, ctx: &HookContext) -> Opinion {
        let near = figures
            .iter()
            .filter(|it| self.standing(it) == Standing::Warn);
        let texts = near.filter_map(|figure| {
            let percent = self.ground.spending.warn_percent().to_string();
            let limit = figure.limit.to_string();
            let values = [
                ("percent", percent.as_str()),
                ("budget", figure.of.name()),
                ("limit", limit.as_str()),
            ];
            let about = format!("{}:{}", figure.of.name(), figure.name);
            let advice = &self.ground.advice;
            advice.once(input, ctx, &WARNING, &about, &values)
        });
        let texts: Vec<String> = texts.collect();
        match texts.as_slice() {
            [] => Opinion::allow(),
            texts => Opinion::allow().context(texts.join("\n")),
        }
    }
}

#[async_trait]
impl Hook for Budget {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PreToolUse, HookEvent::UserPromptSubmit]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::fail_open().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        if input.session_id.is_empty() {
            return Match::No("it belongs to no session".to_owned());
        }
        Match::Yes
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let spending = &self.ground.spending;
        let is_used_up = |figure: &&Figure| self.standing(figure) == Standing::UsedUp;
        let known = spending.known(&input.session_id);
        let known = known.filter(|figures| !figures.iter().any(|it| is_used_up(&it)));
        let figures = match known {
            Some(figures) => figures,
            // Nothing is known yet, or it is used up as far as is known: a person may have added to it.
            None => match spending.refresh(input) {
                Ok(figures) => figures,
                Err(error) => {
                    tracing::warn!("what was spent is not known: {error}");
                    let unchecked = format!(
                        "no budget was checked, because what was spent is not known: {error}"
                    );
                    return Ok(Opinion::allow().warning(unchecked));
                }
            },
        };
        Ok(match figures.iter().find(is_used_up) {
            Some(figure) => self.deny(figure),
            None => self.warn(&figures, input, ctx),
        })
    }
}
