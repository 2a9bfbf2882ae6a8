// Vibration and sound, for players who turned them on.

import { find } from "./dom.js";

const MILLISECONDS = { put: [12], wrong: [40, 40, 40], won: [60, 60, 120] };
const HERTZ = { put: [440], wrong: [196], won: [523, 659, 784] };
const LENGTH = 0.12; // seconds of a tone

let audio = null;

export function feel(event) {
  if (find("#vibration").checked) navigator.vibrate?.(MILLISECONDS[event]);
  if (find("#sound").checked) play(HERTZ[event]);
}

function play(tones) {
  audio ??= new AudioContext();
  tones.forEach((frequency, n) => {
    const start = audio.currentTime + n * LENGTH;
    const tone = new OscillatorNode(audio, { frequency });
    const volume = new GainNode(audio, { gain: 0.12 });
    volume.gain.setValueAtTime(0.12, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + LENGTH);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + LENGTH);
  });
}
