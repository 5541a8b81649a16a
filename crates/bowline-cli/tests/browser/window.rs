//! A Chromium of a test's own, without a screen.

use std::fs::File;
use std::future::Future;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use bowline_testkit::{PATIENCE, Sandbox, until, until_some};
use chromiumoxide::cdp::browser_protocol::emulation::{
    MediaFeature, SetDeviceMetricsOverrideParams,
};
use chromiumoxide::cdp::browser_protocol::input::{
    DispatchKeyEventParams, DispatchKeyEventType, InsertTextParams,
};
use chromiumoxide::cdp::browser_protocol::log::EventEntryAdded;
use chromiumoxide::cdp::browser_protocol::page::{
    EventJavascriptDialogOpening, HandleJavaScriptDialogParams,
};
use chromiumoxide::cdp::js_protocol::runtime::{
    ConsoleApiCalledType, EvaluateParams, EventConsoleApiCalled, EventExceptionThrown,
};
use chromiumoxide::layout::Point;
use chromiumoxide::listeners::EventStream;
use chromiumoxide::{Browser, Page};
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::runtime::{Builder, Handle};

use super::net_log::{self, Asked};

/// Programs that are Chromium.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// No browser of a test asks anybody beyond this machine, whatever a page or the browser itself wants.
const NOBODY_ELSE: &str = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";

/// What a page did that it must not do.
type Faults = Arc<Mutex<Vec<String>>>;

pub(super) struct Window {
    child: Child,
    log: PathBuf,
    browser: Browser,
    runtime: Handle,
    faults: Faults,
}

impl Window {
    /// An empty one, which ends with the sandbox at the latest.
    pub(super) fn new(sandbox: &Sandbox) -> Self {
        let (profile, log) = (sandbox.folder("browser"), sandbox.path("net-log.json"));
        let mut command = sandbox.program(program());
        command
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                NOBODY_ELSE,
            ])
            .args(["--no-first-run", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--log-net-log={}", log.display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(File::create(sandbox.path("browser.log")).unwrap())
            .process_group(0);
        let child = command.spawn().unwrap();
        let address = until_some("Chromium says where it listens", || {
            let told = std::fs::read_to_string(profile.join("DevToolsActivePort")).ok()?;
            let (port, path) = told.split_once('\n')?;
            (path.len() > 20).then(|| format!("ws://127.0.0.1:{port}{}", path.trim_end()))
        });
        let (browser, runtime) = connect(address);
        Self {
            child,
            log,
            browser,
            runtime,
            faults: Faults::default(),
        }
    }

    /// A new tab with this address in it.
    pub(super) fn open(&self, address: &str) -> Tab<'_> {
        let page = self.wait_for(self.browser.new_page("about:blank")).unwrap();
        self.listen(&page);
        let tab = Tab { window: self, page };
        tab.resize(1280, 900);
        tab.goto(address);
        tab
    }

    #[track_caller]
    fn wait_for<T>(&self, future: impl Future<Output = T>) -> T {
        let answered = async { tokio::time::timeout(PATIENCE, future).await };
        let answered = self.runtime.block_on(answered);
        answered.expect("Chromium answers")
    }

    /// Writes down what the page must not do.
    fn listen(&self, page: &Page) {
        self.note(
            self.wait_for(page.event_listener::<EventConsoleApiCalled>())
                .unwrap(),
            |event| {
                let is_fault = matches!(
                    event.r#type,
                    ConsoleApiCalledType::Error
                        | ConsoleApiCalledType::Warning
                        | ConsoleApiCalledType::Assert
                );
                is_fault.then(|| format!("console: {:?}", event.args))
            },
        );
        self.note(
            self.wait_for(page.event_listener::<EventExceptionThrown>())
                .unwrap(),
            |event| Some(format!("exception: {:?}", event.exception_details)),
        );
        self.note(
            self.wait_for(page.event_listener::<EventEntryAdded>())
                .unwrap(),
            |event| Some(format!("log: {:?} {:?}", event.entry.text, event.entry.url)),
        );
        let dialogues = page.event_listener::<EventJavascriptDialogOpening>();
        let mut dialogues = self.wait_for(dialogues).unwrap();
        let (faults, page) = (Arc::clone(&self.faults), page.clone());
        self.runtime.spawn(async move {
            while let Some(event) = dialogues.next().await {
                faults
                    .lock()
                    .unwrap()
                    .push(format!("dialogue: {}", event.message));
                let _ = page.execute(HandleJavaScriptDialogParams::new(false)).await;
            }
        });
    }

    fn note<T>(
        &self,
        mut events: EventStream<T>,
        fault: impl Fn(&T) -> Option<String> + Send + 'static,
    ) where
        T: chromiumoxide::cdp::IntoEventKind + Unpin + Send + Sync + 'static,
    {
        let faults = Arc::clone(&self.faults);
        self.runtime.spawn(async move {
            while let Some(event) = events.next().await {
                faults.lock().unwrap().extend(fault(&event));
            }
        });
    }

    /// Ends the browser. Nothing went wrong in any of its tabs, and no page asked another host for anything.
    #[track_caller]
    pub(super) fn close(self) -> Vec<Asked> {
        self.close_after_faults(|_| false)
    }

    /// The same, but for faults that the test has caused.
    #[track_caller]
    pub(super) fn close_after_faults(mut self, expected: impl Fn(&str) -> bool) -> Vec<Asked> {
        // It answers, or it has ended already.
        let _ = self.runtime.block_on(self.browser.close());
        until("Chromium ends", || self.child.try_wait().unwrap().is_some());
        let faults = self.faults.lock().unwrap();
        let faults: Vec<&String> = faults.iter().filter(|fault| !expected(fault)).collect();
        assert!(faults.is_empty(), "{faults:#?}");
        let asked = net_log::read(&self.log);
        let own: Vec<Asked> = asked.into_iter().filter(is_the_pages).collect();
        for one in &own {
            let by = one.by.as_deref().unwrap_or(&one.address);
            assert!(
                one.address.starts_with(by),
                "another host is asked: {one:?}"
            );
        }
        assert!(!own.is_empty(), "the page is not in the log");
        own
    }
}

/// What the browser wants for itself (its updates) is no fault of the page.
fn is_the_pages(asked: &Asked) -> bool {
    match &asked.by {
        Some(origin) => origin.starts_with("http://"),
        None => asked.address.starts_with("http://127.0.0.1:"),
    }
}

fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let places = PROGRAMS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|file| file.is_file()).unwrap()
}

/// The connection has a thread of its own, so that tests can wait as all others do.
fn connect(address: String) -> (Browser, Handle) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let handle = runtime.handle().clone();
    let (browser, mut handler) = runtime.block_on(Browser::connect(address)).unwrap();
    thread::spawn(move || {
        runtime.block_on(async { while handler.next().await.is_some() {} });
    });
    (browser, handle)
}

/// One page of a window.
pub(super) struct Tab<'window> {
    window: &'window Window,
    page: Page,
}

impl Tab<'_> {
    #[track_caller]
    pub(super) fn goto(&self, address: &str) {
        self.window.wait_for(self.page.goto(address)).unwrap();
        self.until_ready();
    }

    /// From the next view on, nothing is asked for again only because time has passed.
    pub(super) fn stop_its_clock(&self) {
        let stop = "window.setInterval = () => 0";
        let stopped = self.page.evaluate_on_new_document(stop);
        self.window.wait_for(stopped).unwrap();
    }

    #[track_caller]
    pub(super) fn reload(&self) {
        self.evaluate("window.isOld = true; location.reload()");
        self.until("the page is loaded again", "window.isOld === undefined");
        self.until_ready();
    }

    fn until_ready(&self) {
        self.until("the page is there", "document.readyState === 'complete'");
    }

    /// What a script says; null while the page changes to another.
    pub(super) fn evaluate(&self, script: &str) -> Value {
        let evaluation = EvaluateParams::builder()
            .expression(script)
            .await_promise(true)
            .return_by_value(true)
            .build()
            .unwrap();
        match self.window.wait_for(self.page.execute(evaluation)) {
            Ok(said) => {
                assert!(
                    said.exception_details.is_none(),
                    "{script}: {:?}",
                    said.exception_details
                );
                said.result.result.value.unwrap_or_default()
            }
            Err(_) => Value::Null,
        }
    }

    /// Waits until a script says yes.
    #[track_caller]
    pub(super) fn until(&self, what: &str, script: &str) {
        let mut looks = 0;
        let began = std::time::Instant::now();
        while self.evaluate(script) != true {
            looks += 1;
            assert!(
                began.elapsed() < PATIENCE,
                "it never happens that {what} ({looks} looks); the page says:\n{}",
                self.text()
            );
            thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Waits until the view has this text.
    #[track_caller]
    pub(super) fn until_shown(&self, text: &str) {
        let wanted = Value::from(text);
        let script =
            format!("(document.getElementById('main')?.innerText ?? '').includes({wanted})");
        self.until(&format!("{text:?} is shown"), &script);
    }

    /// What a person reads.
    pub(super) fn text(&self) -> String {
        let text = self.evaluate("document.body.innerText");
        text.as_str().unwrap_or_default().to_owned()
    }

    pub(super) fn address(&self) -> String {
        self.evaluate("location.href").as_str().unwrap().to_owned()
    }

    /// Clicks with the mouse, as a person does, who waits for what is to be clicked.
    #[track_caller]
    pub(super) fn click(&self, selector: &str) {
        let began = std::time::Instant::now();
        let place = loop {
            let place = self.evaluate(&format!(
                "(() => {{ const it = document.querySelector({selector:?}); it?.scrollIntoView({{block: 'center'}});
                    const box = it?.getBoundingClientRect();
                    return box && [box.left + box.width / 2, box.top + box.height / 2] }})()"
            ));
            if let (Some(x), Some(y)) = (place[0].as_f64(), place[1].as_f64()) {
                break Point::new(x, y);
            }
            // The page may be changing to another.
            let text = || self.text();
            assert!(began.elapsed() < PATIENCE, "no {selector} in:\n{}", text());
            thread::sleep(std::time::Duration::from_millis(20));
        };
        self.window.wait_for(self.page.click(place)).unwrap();
    }

    /// Types into a field.
    #[track_caller]
    pub(super) fn write(&self, selector: &str, text: &str) {
        self.click(selector);
        let typed = self.page.execute(InsertTextParams::new(text));
        self.window.wait_for(typed).unwrap();
        let typed = format!(
            "document.querySelector({selector:?})?.value === {}",
            Value::from(text)
        );
        self.until("the text is in the field", &typed);
    }

    /// Presses the key that leads to the next thing that can be used.
    pub(super) fn press_tab(&self) {
        self.press("Tab", 9, None);
    }

    /// Presses the return key.
    pub(super) fn press_enter(&self) {
        self.press("Enter", 13, Some("\r"));
    }

    fn press(&self, name: &str, code: i64, text: Option<&str>) {
        for kind in [DispatchKeyEventType::KeyDown, DispatchKeyEventType::KeyUp] {
            let key = DispatchKeyEventParams::builder()
                .r#type(kind)
                .key(name)
                .code(name)
                .windows_virtual_key_code(code);
            let key = match text {
                Some(text) => key.text(text),
                None => key,
            };
            let key = key.build().unwrap();
            self.window.wait_for(self.page.execute(key)).unwrap();
        }
    }

    pub(super) fn resize(&self, width: i64, height: i64) {
        let size = SetDeviceMetricsOverrideParams::new(width, height, 1.0, false);
        self.window.wait_for(self.page.execute(size)).unwrap();
    }

    /// Prefers `light` or `dark`.
    pub(super) fn prefer(&self, scheme: &str) {
        let scheme = MediaFeature::new("prefers-color-scheme", scheme);
        let emulated = self.page.emulate_media_features(vec![scheme]);
        self.window.wait_for(emulated).unwrap();
    }

    /// The addresses of all views: those of the menu, and one of each kind that a link in them leads to.
    pub(super) fn views(&self) -> Vec<String> {
        let links = |selector: &str| -> Vec<String> {
            let script =
                format!("[...document.querySelectorAll({selector:?})].map((it) => it.href)");
            serde_json::from_value(self.evaluate(&script)).unwrap()
        };
        let mut views = links("header nav a");
        assert!(views.len() > 1, "{views:?}");
        for view in views.clone() {
            self.goto(&view);
            for link in links("main a") {
                let path =
                    |link: &str| link.split(['?', '#']).next().unwrap_or_default().to_owned();
                if views.iter().all(|known| path(known) != path(&link)) {
                    views.push(link);
                }
            }
        }
        views
    }
}
