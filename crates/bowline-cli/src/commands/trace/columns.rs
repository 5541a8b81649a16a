//! The columns that every list of calls or events has. Of those that may go, the id goes last, and who did it before it.

use crate::ui::Column;

/// Which project.
pub(in crate::commands) const PROJECT: Column = Column::optional("Project", 14, 9)
    .at_most(20)
    .at_least(8)
    .telling_apart();

/// Which agent: of more use where there is more than one.
pub(in crate::commands) const AGENT: Column =
    Column::optional("Agent", 11, 5).at_least(7).if_differing(7);

/// The session: the part of its name that is enough to find it.
pub(in crate::commands) const SESSION: Column = Column::optional("Session", 6, 8)
    .at_most(6)
    .at_least(6)
    .of_ids();

/// The tool. The next column usually shows it too.
pub(in crate::commands) const TOOL: Column = Column::optional("Tool", 8, 6).at_most(20).at_least(6);

/// The id of the call, for `why`, `allow` and `trace show`. Most ids begin alike, so a shorter one would be useless.
pub(in crate::commands) const ID: Column = Column::optional("Id", 16, 10)
    .at_most(16)
    .at_least(12)
    .of_ids();
