import { effect, signal, useSignal, type ReadonlySignal } from '@preact/signals';
import { render, type ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { startReport } from '../report-page.ts';
import { foreignText } from '../report-words.ts';
import type { StudyReportData } from '../study-data.ts';
import { HeatMap, Pareto, Slices, Parallel } from './trial-charts.tsx';
import { Tip } from './picture.tsx';
import { unpackStudy, type StudyView } from './study-page.ts';
import { Equity, InAgainstOut } from './walk-charts.tsx';

/** Draws the page of a study. A click on a trial, in a chart or on its row, marks it everywhere. */
function drawStudy(sent: StudyReportData): void {
  const study = unpackStudy(sent);
  const chosen = signal<number | null>(null);
  const choose = (number: number): void => {
    chosen.value = chosen.value === number ? null : number;
  };
  startRows(chosen, choose);
  const figure = choiceIn('figure', study.figures, 0);
  effect(() => {
    for (const place of document.querySelectorAll('.of-figure'))
      place.textContent = study.figures[figure.value]?.title ?? '';
  });
  const view = (): StudyView => ({ study, figure: figure.value, chosen: chosen.value, choose });
  const objectives = study.figures.filter(({ direction }) => direction !== null);
  const [paretoAcross, paretoUp] = [
    choiceIn('pareto-across', objectives, 1),
    choiceIn('pareto-up', objectives, 0),
  ];
  const [heatAcross, heatUp] = [
    choiceIn('heat-across', study.parameters, 0),
    choiceIn('heat-up', study.parameters, 1),
  ];
  drawIn('pareto', (width) => (
    <Pareto view={view()} across={paretoAcross.value} up={paretoUp.value} width={width} />
  ));
  drawIn('slices', (width) => <Slices view={view()} width={width} />);
  drawIn('heat', (width) => (
    <HeatMap view={view()} across={heatAcross.value} up={heatUp.value} width={width} />
  ));
  drawIn('parallel', (width) => <Parallel view={view()} width={width} />);
  const { walk } = study;
  if (walk !== null) {
    const walkFigure = choiceIn('walk-figure', walk.figures, 0);
    drawIn('equity', (width) => <Equity walk={walk} width={width} />);
    drawIn('in-out', (width) => <InAgainstOut walk={walk} figure={walkFigure.value} width={width} />);
  }
  const tip = document.createElement('div');
  document.body.append(tip);
  render(<Tip />, tip);
}

/** Makes rows of trials choose their trial by a click or Enter. */
function startRows(chosen: ReadonlySignal<number | null>, choose: (number: number) => void): void {
  const rows = document.querySelectorAll<HTMLElement>('tr[data-trial]');
  for (const row of rows) {
    const number = Number(row.dataset['trial']);
    row.addEventListener('click', () => choose(number));
    row.addEventListener('keydown', ({ key }) => {
      if (key === 'Enter') choose(number);
    });
    effect(() => {
      row.classList.toggle('is-chosen', chosen.value === number);
    });
  }
}

/** Returns the chosen name, or the default if the page does not have it. */
function choiceIn(
  id: string,
  named: readonly { readonly name: string; readonly title?: string }[],
  usual: number,
): ReadonlySignal<number> {
  const choice = signal(usual);
  const select = document.getElementById(id);
  if (!(select instanceof HTMLSelectElement)) return choice;
  for (const [index, { name, title = foreignText(name) }] of named.entries())
    select.add(new Option(title, String(index)));
  select.value = String(usual);
  select.addEventListener('change', () => (choice.value = Number(select.value)));
  return choice;
}

/** Draws into an element, if the page has it, and again after every choice or change of width. */
function drawIn(id: string, draw: (width: number) => ComponentChildren): void {
  const place = document.getElementById(id);
  if (place !== null) render(<Room place={place} draw={draw} />, place);
}

interface RoomProps {
  readonly place: HTMLElement;
  readonly draw: (width: number) => ComponentChildren;
}

function Room({ place, draw }: RoomProps) {
  const width = useSignal(place.clientWidth);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      // A hidden page has width 0: the last width stays.
      width.value = place.clientWidth || width.value;
    });
    observer.observe(place);
    return () => observer.disconnect();
  }, []);
  return <>{width.value === 0 ? null : draw(width.value)}</>;
}

void startReport(drawStudy);
