//! Which key does what, here and now.

use std::collections::{BTreeMap, HashMap, hash_map::Entry};

use super::{
    action::{ACTIONS, Action, ActionId, Context},
    key::{KeyPress, parse_sequence},
};

/// The keys of every action.
#[derive(Clone, Debug)]
pub struct Keymap {
    bindings: HashMap<(Context, Vec<KeyPress>), ActionId>,
    /// The inverse, in the order in which keys are listed.
    keys: HashMap<ActionId, Vec<String>>,
}

/// The meaning of the keys pressed so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Action(ActionId),
    /// The beginning of something longer.
    Unfinished,
    Nothing,
}

impl Keymap {
    /// The keys of the table, except for actions with an entry in `overrides`, by the action's name.
    ///
    /// Also returns the problems: overrides that cannot be parsed, which keep the default, keys that an override
    /// takes away from another action or hides in lists, and two overrides of the same key.
    pub fn new(overrides: &BTreeMap<String, Vec<String>>) -> (Keymap, Vec<String>) {
        let mut keymap = Keymap { bindings: HashMap::new(), keys: HashMap::new() };
        let mut problems = Vec::new();
        for name in overrides.keys().filter(|name| ActionId::from_name(name).is_none()) {
            problems.push(format!("there is no action `{name}`; `matchbook keys` lists them"));
        }
        // Overrides are bound first, so that they win over defaults.
        for action in ACTIONS {
            if let Some(keys) = overrides.get(action.name) {
                keymap.bind(action, keys.iter().map(String::as_str), &mut problems);
            }
        }
        for action in ACTIONS.iter().filter(|action| !overrides.contains_key(action.name)) {
            keymap.bind(action, action.keys.iter().copied(), &mut problems);
        }
        problems.extend(keymap.hidden(overrides));
        (keymap, problems)
    }

    /// Keys of the whole workbench that an override has put under a key that moves in lists, or the other way round.
    fn hidden(&self, overrides: &BTreeMap<String, Vec<String>>) -> Vec<String> {
        let is_own = |action: &Action| overrides.contains_key(action.name);
        let mut problems: Vec<String> = Vec::new();
        for ((context, keys), id) in &self.bindings {
            let moving = self.bindings.get(&(Context::Moving, keys.clone()));
            if let (Context::Workbench, Some(moving)) = (context, moving)
                && (is_own(id.action()) || is_own(moving.action()))
            {
                let key = keys.iter().map(KeyPress::to_string).collect::<Vec<_>>().join(" ");
                let (hidden, moving) = (id.action().name, moving.action().name);
                problems.push(format!("the key `{key}` of `{hidden}` is `{moving}` in every list"));
            }
        }
        problems.sort_unstable();
        problems
    }

    /// What the keys mean when these contexts are open, the innermost first.
    pub fn meaning(&self, contexts: &[Context], pressed: &[KeyPress]) -> Meaning {
        let find = |context: &Context| self.bindings.get(&(*context, pressed.to_vec()));
        if let Some(&action) = contexts.iter().find_map(find) {
            return Meaning::Action(action);
        }
        let goes_on = |(context, keys): &(Context, Vec<KeyPress>)| {
            contexts.contains(context) && keys.len() > pressed.len() && keys.starts_with(pressed)
        };
        if self.bindings.keys().any(goes_on) { Meaning::Unfinished } else { Meaning::Nothing }
    }

    /// The action of a key as it is written, when these contexts are open.
    pub fn means(&self, contexts: &[Context], key: &str) -> Option<ActionId> {
        match self.meaning(contexts, &parse_sequence(key).ok()?) {
            Meaning::Action(action) => Some(action),
            Meaning::Unfinished | Meaning::Nothing => None,
        }
    }

    /// The keys of an action as they are written.
    pub fn keys(&self, action: ActionId) -> &[String] {
        self.keys.get(&action).map_or(&[], Vec::as_slice)
    }

    fn bind<'a>(&mut self, action: &Action, keys: impl Iterator<Item = &'a str>, problems: &mut Vec<String>) {
        let mut written = Vec::new();
        for key in keys {
            match parse_sequence(key) {
                Ok(sequence) => match self.bindings.entry((action.context, sequence)) {
                    Entry::Occupied(taken) if *taken.get() != action.id => problems.push(format!(
                        "the key `{key}` of `{}` is now used by `{}`",
                        action.name,
                        taken.get().action().name
                    )),
                    entry => {
                        entry.insert_entry(action.id);
                        written.push(key.to_owned());
                    }
                },
                Err(error) => problems.push(format!("the keys of `{}`: {error}", action.name)),
            }
        }
        self.keys.insert(action.id, written);
    }
}

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap::new(&BTreeMap::new()).0
    }
}

/// The table of keys as Markdown, with the names of the actions. A chapter of the guide has the same rows without names, which
/// would not fit into 80 columns.
pub fn key_table(keymap: &Keymap, has_names: bool) -> String {
    let rows = ACTIONS.iter().map(|action| {
        let keys: Vec<String> = keymap.keys(action.id).iter().map(|key| format!("`{key}`")).collect();
        let name = format!("`{}`", action.name);
        [keys.join(" "), action.context.name().to_owned(), action.words.to_owned(), name]
    });
    let header = ["keys", "where", "what", "action"].map(str::to_owned);
    let rows: Vec<[String; 4]> = std::iter::once(header).chain(rows).collect();
    let columns = if has_names { 4 } else { 3 };
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut table = String::new();
    for (index, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!(" {cell:<width$} |"));
        table.push_str(&format!("|{}\n", cells.collect::<String>()));
        if index == 0 {
            let rule = widths.iter().map(|width| format!("{}|", "-".repeat(width + 2)));
            table.push_str(&format!("|{}\n", rule.collect::<String>()));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(keys: &str) -> Vec<KeyPress> {
        parse_sequence(keys).unwrap()
    }

    #[test]
    fn the_table_has_no_key_twice_in_a_context() {
        let (keymap, problems) = Keymap::new(&BTreeMap::new());
        assert!(problems.is_empty(), "{problems:?}");
        let told: usize = ACTIONS.iter().map(|action| action.keys.len()).sum();
        assert_eq!(keymap.bindings.len(), told);
    }

    #[test]
    fn the_innermost_context_is_asked_first() {
        let keymap = Keymap::default();
        let meaning = |contexts: &[Context], keys| keymap.meaning(contexts, &press(keys));
        assert_eq!(
            meaning(&[Context::BrowseTree, Context::Browse], "space"),
            Meaning::Action(ActionId::TreeToggle)
        );
        assert_eq!(
            meaning(&[Context::BrowseList, Context::Browse], "space"),
            Meaning::Action(ActionId::Mark)
        );
        assert_eq!(meaning(&[Context::Moving], "g"), Meaning::Unfinished);
        assert_eq!(meaning(&[Context::Moving], "g g"), Meaning::Action(ActionId::Top));
        assert_eq!(meaning(&[Context::Browse], "g"), Meaning::Nothing);
    }

    #[test]
    fn keys_can_be_given_to_other_actions_and_mistakes_are_told() {
        let overrides = BTreeMap::from([
            ("quit".to_owned(), vec!["Q".to_owned(), "no key".to_owned()]),
            ("fly".to_owned(), vec![]),
        ]);
        let (keymap, problems) = Keymap::new(&overrides);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert_eq!(keymap.meaning(&[Context::Workbench], &press("Q")), Meaning::Action(ActionId::Quit));
        assert_eq!(keymap.meaning(&[Context::Workbench], &press("q")), Meaning::Nothing);
        assert_eq!(keymap.keys(ActionId::Quit), ["Q"]);
    }

    #[test]
    fn a_key_that_lists_would_hide_is_reported() {
        let problems = |action: &str, key: &str| {
            Keymap::new(&BTreeMap::from([(action.to_owned(), vec![key.to_owned()])])).1
        };
        assert_eq!(problems("quit", "j"), ["the key `j` of `quit` is `down` in every list"]);
        assert_eq!(problems("down", "q"), ["the key `q` of `quit` is `down` in every list"]);
        assert!(problems("quit", "Q").is_empty());
    }

    #[test]
    fn clashes_are_told_and_an_override_wins_over_a_default() {
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        let overrides =
            BTreeMap::from([("mark".to_owned(), keys(&["y", "m"])), ("sort".to_owned(), keys(&["m"]))]);
        let (keymap, problems) = Keymap::new(&overrides);
        assert_eq!(
            problems,
            [
                "the key `m` of `mark` is now used by `sort`",
                "the key `m` of `symbols` is now used by `sort`",
                "the key `y` of `copy-pair` is now used by `mark`"
            ]
        );
        assert_eq!(keymap.meaning(&[Context::Browse], &press("y")), Meaning::Action(ActionId::Mark));
        assert_eq!(keymap.meaning(&[Context::Browse], &press("m")), Meaning::Action(ActionId::ChooseSort));
        assert!(keymap.keys(ActionId::CopyPair).is_empty());
    }

    /// Contexts that are open together, the innermost first. A context that is not named here is taken for a panel of a
    /// pane, or, when the palette does not offer its actions, for a line that is typed.
    fn open_together(context: Context) -> Vec<Context> {
        let is_panel = || ACTIONS.iter().any(|action| action.context == context && action.is_in_palette());
        let mut open = match context {
            Context::BrowseTree | Context::BrowseList | Context::BrowseReader | Context::BrowseSymbols => {
                vec![context, Context::Browse, Context::Moving, Context::Workbench]
            }
            Context::Ranges => vec![context, Context::Workbench],
            Context::Help | Context::TrainForm => vec![context, Context::Moving],
            Context::Moving
            | Context::Workbench
            | Context::Commands
            | Context::Typing
            | Context::Confirm
            | Context::Tour => {
                vec![context]
            }
            Context::Waiting | Context::Anywhere => Vec::new(),
            _ if is_panel() => vec![context, Context::Moving, Context::Workbench],
            _ => vec![context, Context::Typing],
        };
        if open.iter().any(|open| matches!(open, Context::Workbench | Context::TrainForm)) {
            open.push(Context::Commands);
        }
        open.push(Context::Anywhere);
        open
    }

    /// What an inner context takes from an outer one on purpose: its action, and the one that cannot be reached by this
    /// key meanwhile.
    const SHADOWS: &[(&str, &str)] = &[
        ("toggle-category", "mark"),
        ("choose-category", "compare"),
        ("close-symbols", "back"),
        ("range-done", "quit"),
    ];

    /// Two parts of the workbench once bound the same key unnoticed. The key that cancels a long request
    /// deliberately overrides all others and is not checked.
    #[test]
    fn no_action_hides_another_but_on_purpose() {
        let mut hidden = std::collections::BTreeSet::new();
        let contexts: std::collections::BTreeSet<Context> =
            ACTIONS.iter().map(|action| action.context).collect();
        for open in contexts.into_iter().map(open_together) {
            let keys: Vec<(usize, &Action, Vec<KeyPress>)> = open
                .iter()
                .enumerate()
                .flat_map(|(depth, context)| {
                    ACTIONS
                        .iter()
                        .filter(move |action| action.context == *context)
                        .map(move |action| (depth, action))
                })
                .flat_map(|(depth, action)| action.keys.iter().map(move |key| (depth, action, press(key))))
                .collect();
            for (depth, inner, short) in &keys {
                for (outer_depth, outer, long) in &keys {
                    // `g` would hide `g g` as well, wherever they are; a longer one hides nothing.
                    let hides = depth < outer_depth && long.starts_with(short);
                    let hides_at_home =
                        depth == outer_depth && long.len() > short.len() && long.starts_with(short);
                    if hides || hides_at_home {
                        hidden.insert((inner.name, outer.name));
                    }
                }
            }
        }
        let allowed: std::collections::BTreeSet<_> = SHADOWS.iter().copied().collect();
        assert_eq!(hidden, allowed, "give one of them another key, or name them in SHADOWS");
    }
}
