import { element } from '../../../backtest/report/page/page-elements.js';
import { startTheme } from '../../../backtest/report/page/theme.js';
import { onWidth } from './drawing.js';
import { drawSlices } from './slices.js';
import { readStudy } from './study-data.js';

/** Begins when the page is there; `data-ready` on the document says that all is drawn. */

async function startStudy() {
  const root = document.documentElement;
  startTheme(/** @type {HTMLButtonElement} */ (element('theme')), () => undefined);
  const study = await readStudy('data');
  /** @type {{ chosen: number | null, figure: number }} */
  const state = { chosen: null, figure: 0 };
  /** @type {(() => void)[]} */
  const drawings = [];
  const drawAll = () => {
    for (const draw of drawings) draw();
  };
  /** @param {number} number */
  const choose = (number) => {
    state.chosen = state.chosen === number ? null : number;
    for (const row of document.querySelectorAll('tr[data-trial]'))
      row.classList.toggle('is-chosen', row.getAttribute('data-trial') === String(state.chosen));
    drawAll();
  };

  /**
   * Draws into an element if the page has it, again with every choice and every other width.
   * @param {string} id
   * @param {(place: HTMLElement, view: import('./slices.js').StudyView, width: number) => void} draw
   */
  const keepDrawn = (id, draw) => {
    const place = document.getElementById(id);
    if (place === null) return;
    const redraw = () => draw(place, { study, ...state, choose }, place.clientWidth);
    drawings.push(redraw);
    onWidth(place, redraw);
  };

  const figure = document.getElementById('figure');
  if (figure instanceof HTMLSelectElement) {
    for (const [index, { name }] of study.figures.entries()) figure.add(new Option(name, String(index)));
    figure.addEventListener('change', () => {
      state.figure = Number(figure.value);
      drawAll();
    });
  }
  for (const row of document.querySelectorAll('tr[data-trial]')) {
    const number = Number(row.getAttribute('data-trial'));
    row.addEventListener('click', () => choose(number));
    row.addEventListener('keydown', (event) => {
      if (event instanceof KeyboardEvent && event.key === 'Enter') choose(number);
    });
  }
  keepDrawn('slices', drawSlices);
  root.dataset['ready'] = 'true';
}

startStudy().catch((error) => {
  for (const note of document.querySelectorAll('.chart-note'))
    note.textContent = `The charts can not be drawn: ${error instanceof Error ? error.message : String(error)}`;
  throw error;
});
