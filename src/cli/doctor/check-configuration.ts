import type { BotConfig } from '../../daemon/create-bot-config.ts';
import type { Override } from '../../daemon/overrides.ts';
import { readBotConfig, type BotConfigSources } from '../../daemon/read-bot-config.ts';
import { ok, problem, warning, type CheckFinding } from './check-finding.ts';

/** A configuration as far as it can be read. */
export interface ConfigurationCheck {
  readonly findings: readonly CheckFinding[];
  /**
   * Null where nothing can be made of it. Where only its credentials are missing it is there without them.
   */
  readonly config: BotConfig | null;
  /** True if it is as a run would read it. */
  readonly isWhole: boolean;
}

/** Reads a configuration as a run does: all of its problems at once, and its warnings. */
export function checkConfiguration(
  file: string,
  of: Pick<BotConfigSources, 'environment' | 'workingFolder'> & { readonly overrides: readonly Override[] },
): ConfigurationCheck {
  // Without more: doctor's own --offline does not make credentials needless.
  const { environment, workingFolder, overrides } = of;
  const sources = { environment, workingFolder, overrides };
  const reading = readBotConfig(file, sources);
  const remedy = `correct ${file}; docs/reference/configuration.md has every setting`;
  const warnings = reading.warnings.map((text) => warning('configuration', text, warningRemedy(text, file)));
  if (reading.ok) {
    const { mode, instance } = reading.config;
    return {
      findings: [...warnings, ok('configuration', `${file} is right: mode ${mode}, instance ${instance}`)],
      config: reading.config,
      isWhole: true,
    };
  }
  const problems = reading.problems.map((text) => problem('configuration', text, remedy));
  const offline = readBotConfig(file, { ...sources, isOffline: true });
  return {
    findings: [...problems, ...warnings],
    // So that nothing of a live bot is looked at as if it were one on paper.
    config: offline.ok ? { ...offline.config, mode: offline.isLive ? 'live' : offline.config.mode } : null,
    isWhole: false,
  };
}

/** Lines of the configuration mostly say themselves what to do. */
function warningRemedy(text: string, file: string): string {
  const [, advice] = /: (run chmod .*)$/.exec(text) ?? [];
  return advice ?? `change it in ${file}: a secret belongs into the environment or a file of its own`;
}
