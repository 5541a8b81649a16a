//! Medians and tails.

use std::time::Duration;

/// What a series of times comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// In microseconds.
    pub(super) median: f64,
    /// In microseconds.
    pub(super) p99: f64,
}

impl Spread {
    pub(super) fn of(times: &[Duration]) -> Self {
        let mut times: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
        times.sort_by(f64::total_cmp);
        Self {
            median: at(&times, 50),
            p99: at(&times, 99),
        }
    }

    /// How far the tail reaches beyond the median.
    pub(super) fn tail(self) -> f64 {
        self.p99 / self.median
    }
}

/// The middle one.
pub(super) fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.into_iter().collect();
    figures.sort_by(f64::total_cmp);
    at(&figures, 50)
}

fn at(sorted: &[f64], percent: usize) -> f64 {
    let index = sorted.len() * percent / 100;
    let last = sorted.len().saturating_sub(1);
    sorted.get(index.min(last)).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_tails() {
        let times: Vec<Duration> = (1..=100).map(Duration::from_micros).collect();
        let spread = Spread::of(&times);
        assert!((spread.median - 51.0).abs() < 0.01, "{spread:?}");
        assert!((spread.p99 - 100.0).abs() < 0.01, "{spread:?}");
        assert!((median([3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!(median([]).is_nan());
    }
}
