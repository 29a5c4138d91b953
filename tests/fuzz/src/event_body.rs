//! Bodies that are posted to the event endpoint.

use millrace_notification_controller::event::Event;

pub(crate) fn run(data: &[u8]) {
    let Ok(event) = Event::decode(data) else { return };
    let bytes = event.encode();
    let again = Event::decode(&bytes).expect("an event that was written is read");
    // Fractions of a second are dropped when it is first written.
    assert_eq!(again.encode(), bytes, "an event changes each time it is forwarded");
    assert_eq!(again.message, event.message);
    assert_eq!(again.metadata, event.metadata);
    assert_eq!(again.involved_object, event.involved_object);
    assert!(event.message.starts_with(event.headline()));
    let _ = (event.involved_object.group(), event.involved_object.path(), event.involved_object.title());
    let _ = event.is_commit_status_update();
}
