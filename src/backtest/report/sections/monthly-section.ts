import type { BacktestResult } from '../../result/result-schema.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The change at which a cell has its full colour, at the least. */
const LEAST_FULL = 0.02;

/** A table of years by months, each month coloured by its return; a year's own is that of its months together. */
export function monthlySection({ monthly }: BacktestResult): string {
  if (monthly.length === 0) return '';
  const full = monthly.reduce((most, { change }) => Math.max(most, Math.abs(change)), LEAST_FULL);
  const years = [...new Set(monthly.map(({ year }) => year))];
  const rows = years.map((year) => {
    const ofYear = monthly.filter((one) => one.year === year);
    const whole = ofYear.reduce((product, { change }) => product * (1 + change), 1) - 1;
    const cells = MONTHS.map((_, index) => cell(ofYear.find(({ month }) => month === index + 1)?.change, full));
    return `<tr><th scope="row">${year}</th>${cells.join('')}<td class="year ${whole < 0 ? 'loss' : 'gain'}">${percent(whole)}</td></tr>`;
  });
  const titles = ['', ...MONTHS, 'Year'].map((title) => `<th scope="col">${title}</th>`).join('');
  return `<section id="monthly"><h2>Monthly returns, %</h2><div class="scroll"><table class="heat"><thead><tr>${titles}</tr></thead>
<tbody>${rows.join('')}</tbody></table></div></section>`;
}

function cell(change: number | undefined, full: number): string {
  if (change === undefined) return '<td></td>';
  const strength = (0.08 + 0.62 * Math.min(1, Math.abs(change) / full)).toFixed(2);
  const style = change === 0 ? '' : ` style="background:rgba(var(--heat-${change > 0 ? 'gain' : 'loss'}),${strength})"`;
  return `<td${style}>${percent(change)}</td>`;
}

function percent(change: number): string {
  const value = change * 100;
  const text = value.toFixed(Math.abs(value) < 100 ? 1 : 0);
  return Number(text) === 0 ? '0.0' : text;
}
