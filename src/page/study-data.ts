// Data for the page of a study. The page's scripts use these types, so this file imports nothing.

/** Kind of a metric: a fraction, shown as percent, a duration, or a number. */
export type FigureKind = 'fraction' | 'length' | 'number';

/** Metric that charts can show. */
interface ReportFigure {
  readonly name: string;
  /** Name in the language of the page. */
  readonly title: string;
  readonly kind: FigureKind;
  /** Direction; null if it is not an objective. */
  readonly direction: 'maximize' | 'minimize' | null;
}

/** Param of the space, as an axis. */
export interface ReportParameter {
  readonly name: string;
  /** True if its values have no order; they are then indexes in `cells`. */
  readonly isChoice: boolean;
  readonly isLog: boolean;
  readonly min: number;
  readonly max: number;
  /** Labels of the cells of a heat map; for a choice, its values. */
  readonly cells: readonly string[];
  /** Edges of the cells, one more than there are cells; empty for a choice. */
  readonly edges: readonly number[];
  /** Range near the best trial; null if that trial has no number here. */
  readonly near: readonly [low: number, high: number] | null;
}

/** Outcome of a trial: 0 if it holds every constraint, 1 if it breaks some, 2 if it failed. */
export type TrialState = 0 | 1 | 2;

/** One metric of each window's choice, in its train window and in its test window. */
export interface WalkFigure {
  readonly name: string;
  /** Name in the language of the page. */
  readonly title: string;
  readonly kind: FigureKind;
  /** Values by window; null if there is none. */
  readonly inSample: readonly (number | null)[];
  readonly outOfSample: readonly (number | null)[];
}

export interface WalkData {
  /** Currency of the account. */
  readonly quote: string;
  readonly initialEquity: number;
  /** Days since 1970-01-01 UTC; `equity` has the equity at the end of each. */
  readonly day: readonly number[];
  readonly equity: readonly number[];
  readonly windows: readonly {
    readonly number: number;
    readonly fromMs: number;
    readonly toMs: number;
    /** Params as JSON. */
    readonly params: string;
  }[];
  readonly figures: readonly WalkFigure[];
}

/** Data of a study's page, stored as columns, since rows would be several times as large. */
export interface StudyReportData {
  /** Metrics, the objectives first. */
  readonly figures: readonly ReportFigure[];
  readonly parameters: readonly ReportParameter[];
  readonly trials: {
    readonly number: readonly number[];
    readonly state: readonly TrialState[];
    /** 1 if the trial was drawn at random, 0 if it is shown because it is among the best. */
    readonly isDrawn: readonly (0 | 1)[];
    /** 1 if the trial is a neighbour of the best one, used for the plateau. */
    readonly isNear: readonly (0 | 1)[];
    /** 1 if no other trial is better in all objectives; always 0 with one objective. */
    readonly isFront: readonly (0 | 1)[];
    /** Values of the trials for each parameter: numbers, indexes of choices, null if it does not exist. */
    readonly values: readonly (readonly (number | null)[])[];
    /** Values of the trials for each metric. */
    readonly figures: readonly (readonly (number | null)[])[];
  };
  /** Number of the best trial; null if none has values. */
  readonly best: number | null;
  /** Total number of trials of the study. */
  readonly all: number;
  /** Values behind the verdict on stability, in the first objective; null if it was not tested. */
  readonly plateau: {
    readonly medianOfNeighbours: number | null;
    readonly worstTenth: number;
    readonly isPlateau: boolean;
  } | null;
  readonly walk: WalkData | null;
}
