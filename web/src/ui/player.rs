//! The player: play, step, speed, scrub; and what the clock says.

use super::canvas_host::{CanvasHost, Scene};
use super::controls::quiet_button;
use super::icon::{Icon, sign};
use super::services::Services;
use super::typed::input_value;
use crate::draw::format;
use crate::draw::strip::Strip;
use crate::session::Session;
use gloo_timers::callback::Interval;
use yew::prelude::*;

/// How often the readouts follow the clock.
const READOUT_MS: u32 = 100;

/// The fastest speed is 10 to the power of this, simulated seconds per second.
const FASTEST_POWER: f64 = 6.0;

/// What the readouts show.
#[derive(Clone, PartialEq, Default)]
struct Readout {
    /// The clock's time in words, as closely as one looks; and wholly.
    moment: String,
    exact: String,
    playing: bool,
    speed: f64,
}

/// What the player needs.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The session and the animation.
    pub(super) services: Services,
    /// How times are shown, to be chosen.
    #[prop_or_default]
    pub(super) dates: Html,
}

/// The player.
#[component]
pub(super) fn Player(props: &Props) -> Html {
    let session = &props.services.session;
    let readout = use_state(Readout::default);
    use_readout(session, &readout);

    let onplay = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.play_or_pause())
    };
    let step = |forward: bool| {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.step(forward))
    };
    let onspeed = {
        let session = session.clone();
        Callback::from(move |event: InputEvent| {
            if let Ok(power) = input_value(&event).parse::<f64>() {
                // Two digits are precise enough for a speed.
                let speed = format::two_digits(10f64.powf(power));
                let mut stage = session.stage().write();
                stage.clock.speed = speed;
                stage.touch();
            }
        })
    };
    let pace = format!(
        "×{} real time: {} of the trace in a second",
        format::figures(readout.speed),
        format::duration(readout.speed)
    );
    let play_label = if readout.playing { "Pause" } else { "Play" };
    html! {
        <footer class="player" aria-label="Player">
            { quiet_button("Step to the event before", Some("Event before (,)"), sign(Icon::Back), step(false)) }
            <button type="button" class="play" aria-label={play_label} title={format!("{play_label} (space)")} onclick={onplay}>
                { sign(if readout.playing { Icon::Pause } else { Icon::Play }) }
            </button>
            { quiet_button("Step to the event after", Some("Event after (.)"), sign(Icon::Forward), step(true)) }
            <label class="speed" title={pace.clone()}>
                <span class="visually-hidden">{ "Speed" }</span>
                <input type="range" min="0" max={FASTEST_POWER.to_string()} step="0.05" value={readout.speed.max(1.0).log10().to_string()}
                    aria-valuetext={pace} oninput={onspeed} />
                <output>{ format!("×{}", format::figures(readout.speed)) }<span class="only-wide">{ " real time" }</span></output>
            </label>
            <CanvasHost class="painted strip" scene={Scene::of((), |()| Strip::default())} services={props.services.clone()} label="Queue length over the whole trace; click to move the clock" />
            <output class="clock" aria-live="off" data-testid="clock" title={readout.exact.clone()}>{ &readout.moment }</output>
            { props.dates.clone() }
        </footer>
    }
}

/// Follows the clock at a calm pace, and asks for explanations while it stands still.
#[hook]
fn use_readout(session: &Session, readout: &UseStateHandle<Readout>) {
    let (session, setter) = (session.clone(), readout.setter());
    use_effect_with((), move |()| {
        let mut shown = Readout::default();
        let timer = Interval::new(READOUT_MS, move || {
            let now = {
                let stage = session.stage().read();
                let clock = stage.clock;
                Readout {
                    moment: stage.moments().within(stage.window().span(), clock.now),
                    exact: stage.moments().exact(clock.now),
                    playing: clock.playing,
                    speed: clock.speed,
                }
            };
            if now != shown {
                shown = now.clone();
                setter.set(now);
            }
            session.explain_selected();
            session.explain_round();
        });
        move || drop(timer)
    });
}
