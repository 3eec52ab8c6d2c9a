//! The update function: one message, one change of state.

use strum::IntoEnumIterator;

use super::{
    App, Effect, Msg,
    action::ActionId,
    area::Area,
    build::BuildKind,
    chooser::Chooser,
    hints::Hint,
    key::{Key, KeyPress},
    keymap::Meaning,
    layout,
    line_editor::LineEditor,
    list_cursor::is_movement,
    message::{Mouse, MouseEvent, Report},
    overlay::{Choice, HelpPage, InputPurpose, Overlay},
    pane::PaneId,
    paths::PathPurpose,
    settings,
    work::Reply,
};

/// Applies a message to the state and returns the effects.
pub fn update(app: &mut App, msg: Msg) -> Vec<Effect> {
    let (pane, before) = (app.pane, app.shown_selection());
    let is_of_user = matches!(msg, Msg::Key(_) | Msg::Mouse(_) | Msg::Paste(_));
    match msg {
        Msg::Tick(now) => tick(app, now),
        Msg::Key(key) => {
            app.mark_dirty();
            press(app, key);
        }
        Msg::Paste(text) => {
            app.mark_dirty();
            write(app, &text);
        }
        Msg::Mouse(mouse) => {
            app.mark_dirty();
            point(app, mouse);
        }
        Msg::Resize(size) => {
            app.mark_dirty();
            app.size = size;
            app.lay_out();
        }
        Msg::Reply(reply) => {
            app.mark_dirty();
            receive(app, *reply);
        }
        Msg::Report(report) => {
            app.mark_dirty();
            take_report(app, report);
        }
    }
    if is_of_user && app.pane == pane {
        app.publish(before);
    }
    settle(app);
    app.host.take_effects()
}

/// Hands a reply to the pane that made the request.
fn receive(app: &mut App, reply: Reply) {
    let host = &mut app.host;
    match reply {
        Reply::Browse(reply) => app.browse.receive(reply, host),
        Reply::Compare(reply) => app.compare.receive(reply, host),
        Reply::Training(reply) => app.training.receive(reply, host),
        Reply::Curves(reply) => app.curves.receive(reply, host),
        Reply::Assignments(reply) => app.assignments.receive(reply, host),
        Reply::Importance(reply) => app.importance.receive(reply, host),
        Reply::Studies(reply) => app.studies.receive(reply, host),
        Reply::Log(reply) => app.log.receive(reply, host),
        Reply::Find(reply) => app.find.receive(reply, host),
        Reply::Runs(reply) => host.receive_runs(reply),
    }
}

fn settle(app: &mut App) {
    let size = app.size;
    if let Some(overlay) = app.host.overlays.last_mut() {
        if let Overlay::Help(page) = overlay {
            page.fit(size);
        }
        let height = overlay.area(size).inside_border().height as usize;
        match overlay {
            Overlay::Chooser(chooser) => chooser.settle(height.saturating_sub(1)),
            Overlay::Help(page) => page.offset = page.offset.min(page.lines.len().saturating_sub(height)),
            Overlay::Confirm { .. } | Overlay::Decide { .. } | Overlay::Input { .. } => {}
        }
    }
    show_theme(app);
    app.settle_tour();
    let (pane, host) = app.shown_pane_and_host();
    pane.settle(host);
}

/// Removes old notices, turns the spinner, and saves the session if it has changed.
fn tick(app: &mut App, now: u64) {
    let was_slow = app.host.slots.is_slow(app.host.now);
    app.host.now = now;
    let is_slow = app.host.slots.is_slow(now);
    let is_key_over = app.expire_presented_key();
    let is_notice_over = !app.is_at_first_card() && app.host.expire_notice();
    if is_notice_over || is_slow || was_slow || is_key_over {
        app.mark_dirty();
    }
    app.save_if_due();
}

fn press(app: &mut App, key: KeyPress) {
    app.present_key(key);
    if app.pressed.is_empty() && app.is_tour_key(key) {
        return act(app, ActionId::TourNext);
    }
    let contexts = app.contexts();
    app.pressed.push(key);
    match app.keymap.meaning(&contexts, &app.pressed) {
        Meaning::Action(action) => {
            app.pressed.clear();
            act(app, action);
        }
        Meaning::Unfinished => {}
        Meaning::Nothing => {
            let was_alone = app.pressed.len() == 1;
            app.pressed.clear();
            match key.typed() {
                _ if !was_alone && key != KeyPress::plain(Key::Escape) => press(app, key),
                Some(letter) => write(app, letter.encode_utf8(&mut [0; 4])),
                None => {}
            }
        }
    }
}

/// Carries out an action, from a key or from the palette.
fn act(app: &mut App, action: ActionId) {
    let departure = app.departure();
    carry_out(app, action);
    if action != ActionId::GoBack {
        app.arrive_from(departure);
    }
}

/// Carries out the action of a tab. During a tour it is what its key is: the next step, or nothing.
fn act_beside_keys(app: &mut App, action: ActionId) {
    match app.tour() {
        None => act(app, action),
        Some(_) if app.is_tour_action(action) => act(app, ActionId::TourNext),
        Some(_) => {}
    }
}

fn carry_out(app: &mut App, action: ActionId) {
    app.host.dismiss_notice();
    match action {
        ActionId::Redraw => return app.host.effect(Effect::Redraw),
        ActionId::Suspend => return app.host.effect(Effect::Suspend),
        ActionId::QuitAnyway => return app.host.effect(Effect::Quit),
        ActionId::StopWork => return stop_work(app),
        _ => {}
    }
    if !app.host.overlays.is_empty() {
        return act_on_overlay(app, action);
    }
    match action {
        ActionId::Quit => quit(app),
        ActionId::Help => {
            let page = HelpPage::new(&app.keymap, &app.contexts());
            app.host.overlays.push(Overlay::Help(page));
        }
        ActionId::ShowGuide => {
            app.host.overlays.push(Overlay::Help(HelpPage::guide(app.pane.chapter(), app.size)));
        }
        ActionId::Messages => {
            let page = HelpPage::messages(app.host.messages().cloned());
            app.host.overlays.push(Overlay::Help(page));
        }
        ActionId::ChooseTheme => {
            let chooser = Chooser::of_names("theme", &app.theme.offers, app.theme.kept(), Choice::Theme);
            app.host.overlays.push(Overlay::Chooser(chooser));
        }
        ActionId::OpenCorpus => app.host.effect(Effect::ListCorpora),
        ActionId::ExtractArticles => app.choose_path(PathPurpose::Build(BuildKind::Extraction)),
        ActionId::ImportPairs => app.choose_path(PathPurpose::Build(BuildKind::Import)),
        ActionId::ShowBuild => app.show_build(),
        ActionId::OpenWorkspace => app.choose_path(PathPurpose::Workspace),
        ActionId::ShowSettings => app.host.effect(Effect::ListSettings),
        ActionId::OpenSession => app.host.effect(Effect::ListSessions),
        ActionId::SaveSession => {
            let line = LineEditor::new(app.session.name.as_deref().unwrap_or_default());
            app.host.overlays.push(Overlay::Input { line, purpose: InputPurpose::SessionName });
        }
        ActionId::Palette => app.host.overlays.push(Overlay::Chooser(Chooser::palette(&app.keymap))),
        ActionId::ToggleMouse => {
            app.captures_mouse = !app.captures_mouse;
            app.host.effect(Effect::CaptureMouse(app.captures_mouse));
            app.host.notify(match app.captures_mouse {
                true => "the workbench captures the mouse",
                false => "the mouse is released: select text as usual in the terminal",
            });
        }
        ActionId::StartTour => app.start_tour(false),
        ActionId::TogglePresentation => app.present(!app.is_presenting()),
        ActionId::TourNext | ActionId::TourBack | ActionId::TourEnd => app.act_on_tour(action),
        ActionId::GoBack => app.go_back(),
        ActionId::TogglePin => app.toggle_pin(),
        ActionId::ShowBrowse | ActionId::LeaveCompare => app.pane = PaneId::Browse,
        ActionId::ShowCompare => app.pane = PaneId::Compare,
        ActionId::ShowTrain => app.pane = PaneId::Train,
        ActionId::ShowCurves => app.pane = PaneId::Curves,
        ActionId::ShowAssignments => app.pane = PaneId::Assignments,
        ActionId::ShowImportance => app.pane = PaneId::Importance,
        ActionId::ExplainPair | ActionId::ExplainMatched | ActionId::ExplainCompared => {
            app.explain_selected()
        }
        ActionId::NextExplained => app.explain_neighbour(true),
        ActionId::PreviousExplained => app.explain_neighbour(false),
        ActionId::ShowStudies => app.pane = PaneId::Studies,
        ActionId::ShowLog => app.pane = PaneId::Log,
        ActionId::ShowFind => app.pane = PaneId::Find,
        ActionId::FindSelected => app.find_selected(),
        ActionId::OpenFound => app.browse_found(),
        ActionId::CompareFound => app.compare_found(),
        ActionId::ExplainFound => app.explain_found(),
        ActionId::RunCurves => app.show_curves_of_run(),
        ActionId::StudyCurves => app.show_curves_of_cell(),
        ActionId::CompareRuns => app.compare_runs(),
        ActionId::MarkRun => app.mark_run_for_curves(),
        ActionId::RunLog | ActionId::CurveLog => app.show_log_of_run(),
        ActionId::RunEvaluate => app.evaluate_run(),
        ActionId::CompareMatched => app.compare_matched(),
        ActionId::MatchOrOpen if app.assignments.is_open_wanted() => app.browse_matched(),
        ActionId::OpenInCompare => app.compare_selected(),
        ActionId::NextPair => app.compare_neighbour(true),
        ActionId::PreviousPair => app.compare_neighbour(false),
        _ => {
            // The palette offers the actions of every pane.
            app.pane = action.action().context.pane().unwrap_or(app.pane);
            let (pane, host) = app.shown_pane_and_host();
            pane.act(action, host);
        }
    }
}

/// Cancels the requests that take too long.
fn stop_work(app: &mut App) {
    let slow = app.host.slots.cancel_slow(app.host.now);
    if !slow.is_empty() {
        app.host.notify("stopped waiting");
    }
    slow.into_iter().for_each(|slot| app.host.effect(Effect::Cancel(slot)));
}

fn take_report(app: &mut App, report: Report) {
    match report {
        Report::Done(text) => app.host.notify(text),
        Report::Wrong(text) => app.host.report_error(text),
        Report::SessionSaved(is_kept) => app.session.is_kept = is_kept,
        Report::Corpora(offers) => app.offer_corpora(&offers),
        Report::Paths { purpose, folder, entries } => app.take_paths(purpose, &folder, &entries),
        Report::Build(report) => app.take_build_report(report),
        Report::Settings(list) => app.take_settings(*list),
        Report::SettingRefused { name, value, problem } => {
            app.host.report_error(problem);
            app.type_setting(name, &value);
        }
        Report::Sessions(offers) => {
            let now = app.session.name.as_deref().unwrap_or_default();
            let chooser = Chooser::of_names("session", &offers, now, Choice::OpenSession);
            app.host.overlays.push(Overlay::Chooser(chooser));
        }
    }
}

/// Selects the theme to draw with: the one under the cursor of the picker, else the chosen one.
pub(super) fn show_theme(app: &mut App) {
    let pointed_at = match app.host.overlays.last() {
        Some(Overlay::Chooser(chooser)) if chooser.command().is_none() => chooser.choice(),
        _ => None,
    };
    let wanted = match pointed_at {
        Some(Choice::Theme(name)) => name,
        _ => app.theme.kept().to_owned(),
    };
    if app.theme.shown != wanted {
        app.theme.shown.clone_from(&wanted);
        app.host.effect(Effect::UseTheme(wanted));
    }
}

/// Quits, after a confirmation if something would be lost.
fn quit(app: &mut App) {
    if let Some(build) = app.build().filter(|build| build.is_running()) {
        let question = format!("The {} will be stopped. Quit?", build.request.kind);
        return app.host.overlays.push(Overlay::Confirm { question, then: Effect::Quit });
    }
    let lost = PaneId::iter().find_map(|id| app.pane_and_host(id).0.would_lose());
    match lost.filter(|_| !app.session.is_kept) {
        None => app.host.effect(Effect::Quit),
        Some(lost) => app.host.overlays.push(Overlay::Confirm {
            question: format!("{lost} will be discarded. Quit?"),
            then: Effect::Quit,
        }),
    }
}

fn act_on_overlay(app: &mut App, action: ActionId) {
    let size = app.size;
    let Some(overlay) = app.host.overlays.last_mut() else { return };
    let height = overlay.area(size).inside_border().height as usize;
    match (overlay, action) {
        (Overlay::Help(page), moving) if is_movement(moving) => page.scroll(moving, height),
        (Overlay::Help(page), ActionId::NextChapter) => page.turn(true),
        (Overlay::Help(page), ActionId::PreviousChapter) => page.turn(false),
        (Overlay::Chooser(_), ActionId::ChooserAccept) => choose(app),
        (Overlay::Input { .. }, ActionId::ChooserAccept) => accept_input(app),
        (Overlay::Chooser(_), ActionId::ChooserComplete) => app.complete_path(height.saturating_sub(1)),
        (Overlay::Confirm { .. }, ActionId::ConfirmYes) => {
            if let Some(Overlay::Confirm { then, .. }) = app.host.overlays.pop() {
                app.host.effect(then);
            }
        }
        (Overlay::Decide { .. }, ActionId::ConfirmYes) => {
            if let Some(Overlay::Decide { then, .. }) = app.host.overlays.pop() {
                let (pane, host) = app.shown_pane_and_host();
                pane.chosen(then, host);
            }
        }
        (_, ActionId::HelpClose | ActionId::ChooserCancel | ActionId::ConfirmNo) => {
            app.host.overlays.pop();
        }
        (Overlay::Input { line, .. }, action) => {
            line.edit(action);
        }
        (Overlay::Chooser(chooser), action) => {
            let before = chooser.line.text().to_owned();
            match chooser.line.edit(action) {
                true => {
                    chooser.narrow();
                    app.follow_typed_path(&before);
                }
                false => chooser.move_by(action, height.saturating_sub(1)),
            }
        }
        _ => {}
    }
}

/// Accepts the selected item of the topmost chooser.
fn choose(app: &mut App) {
    let Some(Overlay::Chooser(chooser)) = app.host.overlays.pop() else { return };
    match chooser.choice() {
        Some(Choice::Action(action)) => act(app, action),
        Some(Choice::Theme(name)) => app.theme.chosen = Some(name),
        Some(Choice::OpenSession(name)) => app.host.effect(Effect::OpenSession(name)),
        Some(Choice::OpenCorpus(path)) => app.host.effect(Effect::OpenCorpus(path)),
        Some(Choice::OpenWorkspace(path)) => app.host.effect(Effect::OpenWorkspace(path)),
        Some(Choice::EnterFolder(folder)) => app.enter_folder(chooser, &folder),
        Some(Choice::BuildFrom { kind, input }) => app.name_corpus(kind, input),
        Some(Choice::Setting { name, value }) if name == settings::THEME => app.choose_theme_setting(&value),
        Some(Choice::Setting { name, value }) => app.type_setting(name, &value),
        Some(Choice::SettingValue { name, value }) => app.write_setting(name, &value),
        Some(Choice::SaveSession(name)) => app.save_as(name),
        Some(choice) => {
            let (pane, host) = app.shown_pane_and_host();
            pane.chosen(choice, host);
        }
        None => {}
    }
}

/// Accepts the line that was asked for.
fn accept_input(app: &mut App) {
    let Some(Overlay::Input { line, purpose }) = app.host.overlays.pop() else { return };
    match (purpose, line.text().trim()) {
        (InputPurpose::SessionName, "") => app.host.notify("a session needs a name"),
        (InputPurpose::SessionName, name) => app.save_as(name.to_owned()),
        (InputPurpose::Corpus { kind, input }, output) => app.start_build(kind, input, output),
        (InputPurpose::Setting(name), value) => app.write_setting(name, value),
    }
}

/// Inserts text where it is being typed: the topmost overlay, else the visible pane.
fn write(app: &mut App, text: &str) {
    let inserted = match app.host.overlays.last_mut() {
        Some(Overlay::Chooser(chooser)) => {
            let before = chooser.line.text().to_owned();
            let inserted = chooser.line.insert(text);
            chooser.narrow();
            app.follow_typed_path(&before);
            inserted
        }
        Some(Overlay::Input { line, .. }) => line.insert(text),
        Some(_) => Ok(()),
        None => {
            let (pane, host) = app.shown_pane_and_host();
            pane.typed(text, host)
        }
    };
    if let Err(error) = inserted {
        app.host.report_error(error.to_string());
    }
}

fn point(app: &mut App, mouse: Mouse) {
    if !app.host.overlays.is_empty() {
        return point_at_overlay(app, mouse);
    }
    let frame = app.frame();
    let is_on_hints = mouse.event == MouseEvent::Press && frame.hints.contains(mouse.x, mouse.y);
    if is_on_hints && press_hint(app, mouse.x) {
        return;
    }
    if mouse.event == MouseEvent::Press && frame.tabs.contains(mouse.x, mouse.y) {
        let tab =
            layout::tabs(frame.tabs, app.pane).into_iter().find(|(_, tab, _)| tab.contains(mouse.x, mouse.y));
        if let Some((pane, ..)) = tab {
            act_beside_keys(app, pane.action());
        }
        return;
    }
    // As their keys, panes do not get the mouse during a tour.
    if app.tour().is_some() {
        return;
    }
    let (pane, host) = app.shown_pane_and_host();
    pane.mouse(mouse, host);
}

/// Carries out the action of a hint; `false` if there is none at this column.
fn press_hint(app: &mut App, x: u16) -> bool {
    let is_typing = app.pane().prompt(false).is_some();
    let is_searching = app.pane == PaneId::Browse && app.browse.search.is_some();
    let x = x.saturating_sub(app.frame().hints.x);
    let is_hit = |hint: &Hint<'_>| (hint.x..hint.x + hint.width).contains(&x);
    let width = app.frame().hints.width.saturating_sub(app.pin_width());
    let action = app.hints(width).into_iter().find(is_hit).map(|hint| hint.action);
    let action = action.filter(|_| !is_typing && !is_searching);
    action.inspect(|action| act(app, *action)).is_some()
}

/// The wheel scrolls, a press inside chooses, a press outside closes.
fn point_at_overlay(app: &mut App, mouse: Mouse) {
    let size = app.size;
    let Some(overlay) = app.host.overlays.last_mut() else { return };
    let area = overlay.area(size);
    let Area { y, height, .. } = area.inside_border();
    let moving = match mouse.event {
        MouseEvent::WheelDown => [ActionId::Down, ActionId::ChooserDown],
        MouseEvent::WheelUp => [ActionId::Up, ActionId::ChooserUp],
        MouseEvent::Press if !area.contains(mouse.x, mouse.y) => {
            app.host.overlays.pop();
            return;
        }
        MouseEvent::Press => {
            // The first line inside the border is the input line.
            if let Overlay::Chooser(chooser) = overlay
                && mouse.y > y
                && mouse.y < y + height
            {
                let place = chooser.offset() + usize::from(mouse.y - y - 1);
                if place < chooser.shown_count() {
                    chooser.select(place);
                    choose(app);
                }
            }
            return;
        }
        MouseEvent::Drag | MouseEvent::Release => return,
    };
    match overlay {
        Overlay::Help(page) => (0..3).for_each(|_| page.scroll(moving[0], height.into())),
        Overlay::Chooser(chooser) => chooser.move_by(moving[1], height.into()),
        Overlay::Confirm { .. } | Overlay::Decide { .. } | Overlay::Input { .. } => {}
    }
}
