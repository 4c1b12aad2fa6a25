import { parseDuration } from '../../daemon/settings/duration-text.ts';
import { readStudyFile, readWrittenStudy, type ReadStudy } from '../../study/file/read-study.ts';
import type { PreparedStudy } from '../../study/prepare-study.ts';
import { nameOfFile, type StudyFolder } from '../../study/store/study-place.ts';
import { withPlan, type PlanFlags } from './plan-options.ts';
import { readBegunPlan, readWritten } from './read-study-result.ts';
import { shortName } from './run-command.ts';
import {
  refuseShortFlags,
  shortFlagOf,
  writtenStudy,
  type RemoteFlags,
  type SessionFlags,
  type ShortFlags,
} from './run-options.ts';

/** Options of a walk-forward. */
export type WalkFlags = ShortFlags & SessionFlags & PlanFlags & RemoteFlags;

interface WantedWalk {
  readonly read: ReadStudy;
  readonly nameOf: (study: PreparedStudy) => string;
}

/**
 * The study that a walk-forward is asked of, with its plan: a file, the name of a study, or a strategy with
 * the options of the short form. Throws `INVALID_FILE`, `INVALID_OPTIONS` and `CommandError`.
 */
export function wantedWalk(what: string, options: WalkFlags, folder: StudyFolder): WantedWalk {
  const given = options.name;
  if (/\.ya?ml$/.test(what)) {
    refuseShortFlags({ ...options }, what);
    const name = given ?? nameOfFile(what);
    return {
      read: planned(readStudyFile(what), options, {
        folder,
        name,
        source: what,
        advice: 'leave one of them out',
      }),
      nameOf: () => name,
    };
  }
  if (shortFlagOf({ ...options }) === null) {
    const found = folder.find(what);
    const name = given ?? found;
    const kept = readWrittenStudy(readWritten(folder, found));
    // Under another name it may have another plan.
    const read = name === found ? kept : withoutPlan(kept);
    return {
      read: planned(read, options, {
        folder,
        name,
        source: `the study ${found}`,
        advice: 'leave these out, or run it under another name with --name',
      }),
      nameOf: () => name,
    };
  }
  // Trials are those of each window here, and not of the study.
  const { trials: _trials, time: _time, ...asked } = options;
  const read = readWrittenStudy(writtenStudy(what, asked));
  return {
    read: planned(read, options, {
      folder,
      name: given ?? null,
      source: 'the study',
      advice: 'leave one of them out',
    }),
    nameOf: (study) => given ?? shortName(study),
  };
}

function planned(
  read: ReadStudy,
  options: WalkFlags,
  of: {
    readonly folder: StudyFolder;
    readonly name: string | null;
    readonly source: string;
    readonly advice: string;
  },
): ReadStudy {
  const { folder, name, ...told } = of;
  const begun = name === null ? null : readBegunPlan(folder, name);
  const { settings, written } = withPlan(read, { flags: options, trials: options.trials, begun, ...told });
  const time = parseDuration(options.time ?? '');
  // Not written: it is the time of this session, and not that of the study.
  return time === null ? { settings, written } : { settings: withTime(settings, time), written };
}

const withTime = (settings: ReadStudy['settings'], time: number): ReadStudy['settings'] => ({
  ...settings,
  budget: { ...settings.budget, time },
});

function withoutPlan({ written }: ReadStudy): ReadStudy {
  return readWrittenStudy({ ...written, validation: undefined });
}
