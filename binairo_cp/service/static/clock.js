// Times as text, such as 3:07 or 1:02:03.

import { t } from "./texts.js";

export function clockText(seconds) {
  const whole = Math.floor(seconds);
  const pad = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return (hours ? [hours, pad(minutes), pad(whole % 60)] : [minutes, pad(whole % 60)]).join(":");
}

export const solvedText = ({ seconds }) => t("Solved in {time}. Well done!", { time: clockText(seconds) });
