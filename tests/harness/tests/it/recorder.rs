//! The recorder keeps what it is sent and answers as told.

use std::time::Duration;

use millrace_harness::Recorder;
use millrace_harness::recorder::{Answer, Rule};

const LIMIT: Duration = Duration::from_secs(5);

fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

#[tokio::test]
async fn a_request_is_recorded_with_everything_it_holds() {
    let recorder = Recorder::start().unwrap();
    let url = format!("{}/hook?x=1", recorder.url());
    let answer = client().put(url).header("X-Signature", "abc").body(r#"{"a":1}"#).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.text().await.unwrap().as_str()), (200, "{}"));
    let request = recorder.wait_for(LIMIT, |request| request.path() == "/hook").await.unwrap();
    assert_eq!(
        (request.method.as_str(), request.target.as_str(), request.header("x-signature")),
        ("PUT", "/hook?x=1", "abc")
    );
    assert_eq!(request.json().unwrap()["a"], 1);
}

#[tokio::test]
async fn the_path_or_a_script_sets_the_answer() {
    let recorder = Recorder::start().unwrap();
    let status = async |path: &str| {
        client().get(format!("{}{path}", recorder.url())).send().await.unwrap().status().as_u16()
    };
    assert_eq!(status("/chat/answer/503/x").await, 503);
    recorder.answer(
        "/chat",
        [Answer::status(429).unwrap().header("retry-after", "1").unwrap(), Answer::status(500).unwrap()],
    );
    assert_eq!([status("/chat").await, status("/chat").await, status("/chat").await], [429, 500, 200]);
    assert_eq!(recorder.requests_for("/chat").len(), 3);
}

#[tokio::test]
async fn a_rule_answers_what_fits_it_as_often_as_it_says() {
    let recorder = Recorder::start().unwrap();
    let answer = Answer::status(401).unwrap();
    recorder.rule(Rule {
        method: Some("POST".parse().unwrap()),
        target_contains: "/api/".to_owned(),
        times: 1,
        answer,
    });
    let url = format!("{}/api/x", recorder.url());
    let get = client().get(&url).send().await.unwrap().status().as_u16();
    let first = client().post(&url).send().await.unwrap().status().as_u16();
    let second = client().post(&url).send().await.unwrap().status().as_u16();
    assert_eq!([get, first, second], [200, 401, 200]);
}

#[tokio::test]
async fn waiting_in_vain_says_what_came_instead() {
    let recorder = Recorder::start().unwrap();
    client().get(format!("{}/other", recorder.url())).send().await.unwrap();
    let error =
        recorder.wait_for(Duration::from_millis(100), |request| request.path() == "/hook").await.unwrap_err();
    assert!(error.to_string().contains("GET /other"), "{error}");
}
