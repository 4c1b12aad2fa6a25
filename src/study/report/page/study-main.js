import { element } from '../../../backtest/report/page/page-elements.js';
import { startTheme } from '../../../backtest/report/page/theme.js';
import { foreignText, say } from '../../../backtest/report/page/words.js';
import { onWidth } from './drawing.js';
import { drawHeatMap } from './heat-map.js';
import { drawParallel } from './parallel.js';
import { drawPareto } from './pareto.js';
import { drawSlices } from './slices.js';
import { readStudy } from './study-data.js';
import { drawEquity, drawInAgainstOut } from './walk-charts.js';

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

  for (const row of document.querySelectorAll('tr[data-trial]')) {
    const number = Number(row.getAttribute('data-trial'));
    row.addEventListener('click', () => choose(number));
    row.addEventListener('keydown', (event) => {
      if (event instanceof KeyboardEvent && event.key === 'Enter') choose(number);
    });
  }
  /**
   * A choice among names, and what is chosen; the usual one where the page does not have it.
   * @param {string} id
   * @param {readonly { readonly name: string, readonly title?: string }[]} named
   * @param {number} usual
   */
  const choice = (id, named, usual) => {
    const select = document.getElementById(id);
    if (!(select instanceof HTMLSelectElement)) return () => usual;
    for (const [index, { name, title = foreignText(name) }] of named.entries())
      select.add(new Option(title, String(index)));
    select.value = String(usual);
    select.addEventListener('change', drawAll);
    return () => Number(select.value);
  };

  const figureAt = choice('figure', study.figures, 0);
  const objectives = study.figures.filter(({ direction }) => direction !== null);
  const [paretoAcross, paretoUp] = [
    choice('pareto-across', objectives, 1),
    choice('pareto-up', objectives, 0),
  ];
  const [heatAcross, heatUp] = [
    choice('heat-across', study.parameters, 0),
    choice('heat-up', study.parameters, 1),
  ];
  drawings.push(() => {
    state.figure = figureAt();
    for (const place of document.querySelectorAll('.of-figure'))
      place.textContent = study.figures[state.figure]?.title ?? '';
  });
  keepDrawn('pareto', (place, view, width) =>
    drawPareto(place, view, { across: paretoAcross(), up: paretoUp(), width }),
  );
  keepDrawn('slices', drawSlices);
  keepDrawn('heat', (place, view, width) =>
    drawHeatMap(place, view, { across: heatAcross(), up: heatUp(), width }),
  );
  keepDrawn('parallel', drawParallel);
  const { walk } = study;
  if (walk !== null) {
    const walkFigure = choice('walk-figure', walk.figures, 0);
    keepDrawn('equity', (place, _view, width) => drawEquity(place, walk, width));
    keepDrawn('in-out', (place, _view, width) =>
      drawInAgainstOut(place, walk, { figure: walkFigure(), width }),
    );
  }
  drawAll();
  root.dataset['ready'] = 'true';
}

startStudy().catch((error) => {
  for (const note of document.querySelectorAll('.chart-note'))
    note.textContent = say('notDrawn', { reason: error instanceof Error ? error.message : String(error) });
  throw error;
});
