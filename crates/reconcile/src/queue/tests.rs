use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn key(text: &str) -> Key {
    let (namespace, name) = text.split_once('/').expect("namespace/name");
    Key::new(namespace, name)
}

fn queue() -> Queue {
    Queue::new(Backoff { base: SECOND, cap: 10 * SECOND })
}

fn run_all(queue: &mut Queue, now: Moment) -> Vec<String> {
    std::iter::from_fn(|| match queue.next(now) {
        Step::Run(key, _) => Some(key.to_string()),
        Step::SleepUntil(_) | Step::Idle => None,
    })
    .collect()
}

#[test]
fn urgent_lanes_run_first() {
    let mut queue = queue();
    for (name, lane) in [
        ("a/initial", Lane::Initial),
        ("a/timer", Lane::Timer),
        ("a/change", Lane::Change),
        ("a/request", Lane::Request),
    ] {
        queue.request(&key(name), lane);
    }
    assert_eq!(run_all(&mut queue, SECOND), ["a/request", "a/change", "a/timer", "a/initial"]);
}

#[test]
fn namespaces_of_a_lane_take_turns() {
    let mut queue = queue();
    for name in ["a/1", "a/2", "a/3", "b/1", "c/1"] {
        queue.request(&key(name), Lane::Change);
    }
    assert_eq!(run_all(&mut queue, SECOND), ["a/1", "b/1", "c/1", "a/2", "a/3"]);
}

/// The lanes of the next `count` runs, while `refill` is asked to keep a lane full.
fn lanes_of_runs(queue: &mut Queue, count: usize, refill: impl Fn(&mut Queue, usize)) -> Vec<Lane> {
    (0..count)
        .map(|turn| {
            refill(queue, turn);
            let Step::Run(key, lane) = queue.next(SECOND) else { panic!("something waits") };
            queue.finished(&key, Next::Done, SECOND);
            lane
        })
        .collect()
}

#[test]
fn a_flood_in_an_urgent_lane_starves_no_lane_of_another_namespace() {
    let mut queue = queue();
    for lane in [Lane::Retry, Lane::Timer, Lane::Initial] {
        for n in 0..3 {
            queue.request(&key(&format!("quiet/{lane:?}-{n}")), lane);
        }
    }
    let flood = |queue: &mut Queue, turn: usize| {
        queue.request(&key(&format!("busy/{turn}")), Lane::Change);
    };
    let lanes = lanes_of_runs(&mut queue, 40, flood);
    let turns_of = |wanted: Lane| -> Vec<usize> {
        lanes.iter().enumerate().filter(|(_, lane)| **lane == wanted).map(|(turn, _)| turn).collect()
    };
    assert_eq!(turns_of(Lane::Retry), [8, 19, 30]);
    assert_eq!(turns_of(Lane::Timer), [9, 20, 31]);
    assert_eq!(turns_of(Lane::Initial), [10, 21, 32]);
    assert_eq!(lanes[..8], [Lane::Change; 8], "the urgent lane has its say first");
}

#[test]
fn a_lane_that_was_empty_has_no_turns_saved_up() {
    let mut queue = queue();
    let flood = |queue: &mut Queue, turn: usize| {
        queue.request(&key(&format!("busy/{turn}")), Lane::Request);
    };
    lanes_of_runs(&mut queue, 100, flood);
    queue.request(&key("quiet/late"), Lane::Timer);
    let lanes = lanes_of_runs(&mut queue, 9, flood);
    assert_eq!(lanes.iter().position(|lane| *lane == Lane::Timer), Some(8));
}

#[test]
fn keys_that_are_put_off_again_and_again_leave_nothing_behind() {
    let mut queue = queue();
    for round in 0..100_000_u32 {
        let key = key(["a/x", "a/y"][(round % 2) as usize]);
        queue.request(&key, Lane::Change);
        assert!(matches!(queue.next(SECOND), Step::Run(..)));
        queue.finished(&key, Next::Interval(3600 * SECOND), SECOND);
    }
    assert_eq!(queue.waiting(), 2);
    queue.forget(&key("a/x"));
    queue.forget(&key("a/y"));
    assert_eq!(queue.waiting(), 0);
    assert_eq!(queue.due(SECOND), None);
}

#[test]
fn a_charged_requeue_lengthens_the_gap_after_the_next_failure_and_success_forgives_it() {
    let mut queue = queue();
    queue.request(&key("a/x"), Lane::Change);
    queue.next(Moment::ZERO);
    queue.charge(&key("a/x"));
    queue.finished(&key("a/x"), Next::Backoff, Moment::ZERO);
    assert_eq!(queue.next(Moment::ZERO), Step::SleepUntil(2 * SECOND));
    queue.next(2 * SECOND);
    queue.finished(&key("a/x"), Next::Done, 2 * SECOND);
    queue.request(&key("a/x"), Lane::Change);
    queue.next(3 * SECOND);
    queue.finished(&key("a/x"), Next::Backoff, 3 * SECOND);
    assert_eq!(queue.next(3 * SECOND), Step::SleepUntil(4 * SECOND));
}

#[test]
fn requests_for_a_queued_key_coalesce_in_the_most_urgent_lane() {
    let mut queue = queue();
    queue.request(&key("a/x"), Lane::Initial);
    queue.request(&key("a/y"), Lane::Change);
    queue.request(&key("a/x"), Lane::Request);
    queue.request(&key("a/x"), Lane::Timer);
    assert_eq!(run_all(&mut queue, SECOND), ["a/x", "a/y"]);
    assert_eq!(queue.running(), 2);
}

#[test]
fn an_event_for_a_running_key_is_told_and_runs_it_again_at_once() {
    let mut queue = queue();
    queue.request(&key("a/x"), Lane::Change);
    assert_eq!(queue.next(SECOND), Step::Run(key("a/x"), Lane::Change));
    assert!(queue.request(&key("a/x"), Lane::Timer));
    assert!(queue.request(&key("a/x"), Lane::Request));
    assert_eq!(queue.next(SECOND), Step::Idle, "one run of a key at a time");
    queue.finished(&key("a/x"), Next::Interval(60 * SECOND), SECOND);
    assert_eq!(queue.next(SECOND), Step::Run(key("a/x"), Lane::Request));
}

#[test]
fn failures_double_the_delay_up_to_the_cap_and_anything_else_resets_it() {
    let mut queue = queue();
    let mut now = Moment::ZERO;
    queue.request(&key("a/x"), Lane::Change);
    for expected in [1, 2, 4, 8, 10, 10] {
        assert!(matches!(queue.next(now), Step::Run(..)), "due at {now:?}");
        queue.finished(&key("a/x"), Next::Backoff, now);
        now += expected * SECOND;
        assert_eq!(queue.next(now.saturating_sub(Duration::from_nanos(1))), Step::SleepUntil(now));
    }
    assert!(matches!(queue.next(now), Step::Run(_, Lane::Retry)));
    queue.finished(&key("a/x"), Next::Interval(60 * SECOND), now);
    now += 60 * SECOND;
    assert!(matches!(queue.next(now), Step::Run(_, Lane::Timer)));
    queue.finished(&key("a/x"), Next::Backoff, now);
    assert_eq!(queue.next(now), Step::SleepUntil(now + SECOND));
}

#[test]
fn an_edit_starts_a_run_at_once_but_keeps_the_failure_count() {
    let mut queue = queue();
    queue.request(&key("a/x"), Lane::Change);
    queue.next(Moment::ZERO);
    queue.finished(&key("a/x"), Next::Backoff, Moment::ZERO);
    queue.request(&key("a/x"), Lane::Change);
    assert!(matches!(queue.next(Moment::ZERO), Step::Run(..)));
    queue.finished(&key("a/x"), Next::Backoff, Moment::ZERO);
    assert_eq!(queue.next(SECOND), Step::SleepUntil(2 * SECOND), "the next gap is the next doubling");
}

#[test]
fn a_timer_overtaken_by_an_event_does_not_run_the_key_twice() {
    let mut queue = queue();
    queue.request(&key("a/x"), Lane::Change);
    queue.next(Moment::ZERO);
    queue.finished(&key("a/x"), Next::Interval(10 * SECOND), Moment::ZERO);
    queue.request(&key("a/x"), Lane::Request);
    assert!(matches!(queue.next(SECOND), Step::Run(_, Lane::Request)));
    queue.finished(&key("a/x"), Next::Done, SECOND);
    assert_eq!(queue.next(20 * SECOND), Step::Idle);
}

#[test]
fn a_deleted_key_is_forgotten_in_every_state() {
    let mut queue = queue();
    queue.request(&key("a/queued"), Lane::Change);
    queue.forget(&key("a/queued"));
    assert_eq!(queue.next(Moment::ZERO), Step::Idle);

    queue.request(&key("a/running"), Lane::Change);
    queue.next(Moment::ZERO);
    queue.request(&key("a/running"), Lane::Change);
    queue.forget(&key("a/running"));
    queue.finished(&key("a/running"), Next::Done, Moment::ZERO);
    assert_eq!(queue.next(Moment::ZERO), Step::Idle);

    queue.request(&key("a/waiting"), Lane::Change);
    queue.next(Moment::ZERO);
    queue.finished(&key("a/waiting"), Next::After(SECOND), Moment::ZERO);
    queue.forget(&key("a/waiting"));
    assert_eq!(queue.next(2 * SECOND), Step::Idle);
    assert_eq!(queue.depth(), 0);
    assert_eq!(queue.running(), 0);
}
