// Data for the page of a study. The page's scripts are checked against it, so it imports nothing.

/** Format of a figure: a fraction as percent, a duration, or a number. */
export type FigureKind = 'fraction' | 'length' | 'number';

/** A figure that charts can show. */
interface ReportFigure {
  readonly name: string;
  /** The same in the language of the page. */
  readonly title: string;
  readonly kind: FigureKind;
  /** Null: it is no objective. */
  readonly direction: 'maximize' | 'minimize' | null;
}

/** A param of the space, as an axis. */
export interface ReportParameter {
  readonly name: string;
  /** Its values have no order: they are places in `cells`. */
  readonly isChoice: boolean;
  readonly isLog: boolean;
  readonly min: number;
  readonly max: number;
  /** Labels of the cells of a heat map; for a choice its values. */
  readonly cells: readonly string[];
  /** Edges of the cells, one more than there are; of a choice none. */
  readonly edges: readonly number[];
  /** Range near the best trial; null if that trial has no such number. */
  readonly near: readonly [low: number, high: number] | null;
}

/** Outcome of a trial: 0 it holds every constraint, 1 it breaks some, 2 it failed. */
export type TrialState = 0 | 1 | 2;

/** Result of each window's choice in its train window and in its test window, by one figure. */
export interface WalkFigure {
  readonly name: string;
  /** The same in the language of the page. */
  readonly title: string;
  readonly kind: FigureKind;
  /** By window; null where it has no value. */
  readonly inSample: readonly (number | null)[];
  readonly outOfSample: readonly (number | null)[];
}

export interface WalkData {
  /** The currency of the account. */
  readonly quote: string;
  readonly initialEquity: number;
  /** Days since 1970-01-01, and the equity at the end of each. */
  readonly day: readonly number[];
  readonly equity: readonly number[];
  readonly windows: readonly {
    readonly number: number;
    readonly fromMs: number;
    readonly toMs: number;
    /** As JSON. */
    readonly params: string;
  }[];
  readonly figures: readonly WalkFigure[];
}

/** Data that the page of a study draws: columns, as rows would be several times as large. */
export interface StudyReportData {
  /** The objectives first. */
  readonly figures: readonly ReportFigure[];
  readonly parameters: readonly ReportParameter[];
  readonly trials: {
    readonly number: readonly number[];
    readonly state: readonly TrialState[];
    /** 1: drawn by chance, 0: shown because it is among the best. */
    readonly isDrawn: readonly (0 | 1)[];
    /** 1: a neighbour of the best one, of which the plateau is made. */
    readonly isNear: readonly (0 | 1)[];
    /** 1: no other trial is better in all objectives; of one objective never. */
    readonly isFront: readonly (0 | 1)[];
    /** By parameter: numbers, places of choices, null where it does not exist. */
    readonly values: readonly (readonly (number | null)[])[];
    /** By figure. */
    readonly figures: readonly (readonly (number | null)[])[];
  };
  /** The number of the best trial; null where none has values. */
  readonly best: number | null;
  /** All trials that there are. */
  readonly all: number;
  /** Figures behind the outcome on stability, in the first objective; null if it was not tested. */
  readonly plateau: {
    readonly medianOfNeighbours: number | null;
    readonly worstTenth: number;
    readonly isPlateau: boolean;
  } | null;
  readonly walk: WalkData | null;
}
