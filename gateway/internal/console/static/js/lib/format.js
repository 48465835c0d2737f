// Times, sizes and numbers in the language of the browser.

const language = navigator.language;
const dateTime = new Intl.DateTimeFormat(language, {dateStyle: "medium", timeStyle: "short"});
const relative = new Intl.RelativeTimeFormat(language, {numeric: "auto"});

/** time returns Unix milliseconds as date and time. */
export const time = (ms) => ms === null || ms === undefined ? "" : dateTime.format(ms);

const units = [["year", 31536e6], ["month", 2592e6], ["week", 6048e5], ["day", 864e5], ["hour", 36e5], ["minute", 6e4]];

/** ago returns how long ago something was, such as "2 hours ago". */
export function ago(ms, now = Date.now()) {
  for (const [unit, length] of units) {
    if (Math.abs(now - ms) >= length) return relative.format(Math.round((ms - now) / length), unit);
  }
  return relative.format(0, "second");
}

/** size returns a number of bytes in kB or MB. */
export function size(bytes) {
  if (bytes === null || bytes === undefined) return "";
  const [unit, n] = bytes < 1000 ? ["byte", bytes] : bytes < 1e6 ? ["kilobyte", bytes / 1e3] : ["megabyte", bytes / 1e6];
  return new Intl.NumberFormat(language, {style: "unit", unit, unitDisplay: unit === "byte" ? "long" : "short", maximumFractionDigits: n < 10 ? 1 : 0}).format(n);
}

/** number returns a number with separators. */
export const number = (n) => new Intl.NumberFormat(language).format(n);

/** percent returns a fraction as a percentage. */
export const percent = (fraction) => new Intl.NumberFormat(language, {style: "percent"}).format(fraction);

const amount = (unit, n, digits = 0) => new Intl.NumberFormat(language, {style: "unit", unit, unitDisplay: "narrow", maximumFractionDigits: digits}).format(n);

/** duration returns milliseconds as "<0.1s", "0.4s", "12s", "3m 5s" or "2h 10m". */
export function duration(ms) {
  const s = Math.max(0, ms) / 1000;
  if (s < 0.05) return "<" + amount("second", 0.1, 1);
  if (s < 10) return amount("second", s, 1);
  if (s < 59.5) return amount("second", s);
  const [all, big, small] = s < 3570 ? [Math.round(s), "minute", "second"] : [Math.round(s / 60), "hour", "minute"];
  return `${amount(big, Math.floor(all / 60))} ${amount(small, all % 60)}`;
}
