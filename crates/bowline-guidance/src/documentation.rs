//! Which module an edited file belongs to, so that its documentation is not forgotten.

use crate::text::Text;

/// A module was edited.
pub const REMINDER: Text = Text {
    key: "docs.reminder",
    says: "You are changing the module `{module}`. When the work is done, bring its documentation up to date too.",
    names: &["module"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[REMINDER];

/// The module of a file, by its path in the project: the folder right below one of `folders`.
pub fn module_of<'p>(path: &'p str, folders: &[String]) -> Option<&'p str> {
    folders.iter().find_map(|folder| {
        let rest = path
            .strip_prefix(folder.trim_matches('/'))?
            .strip_prefix('/')?;
        let (module, file) = rest.split_once('/')?;
        (!module.is_empty() && !file.is_empty()).then_some(module)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f46_d_a_file_belongs_to_the_module_whose_folder_it_is_in() {
        let folders = ["web/modules/custom/".to_owned(), "modules".to_owned()];
        for (path, expected) in [
            ("web/modules/custom/shop/src/Cart.php", Some("shop")),
            ("web/modules/custom/shop", None),
            ("web/modules/contrib/token/token.module", None),
            ("modules/cart/a.js", Some("cart")),
            ("modules_old/cart/a.js", None),
            ("src/modules/cart/a.js", None),
        ] {
            assert_eq!(module_of(path, &folders), expected, "{path}");
        }
    }
}
