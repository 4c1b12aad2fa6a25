import { baseName } from '../../daemon/settings/strategy-settings.ts';
import type { StudySettings } from '../file/study-settings.ts';
import type { Space } from '../space/parameter.ts';
import { fillRulesOf } from '../trials/fill-rules.ts';

/**
 * All of a study's settings that decide its trials, as plain JSON. Where its data is, how many trials it may
 * have, how long it may take and how it is validated are not among them: the same study goes on with more of
 * them, or elsewhere.
 */
export function studyQuestion(settings: StudySettings, space: Space): Readonly<Record<string, unknown>> {
  const {
    csv: _csv,
    csvForm: _csvForm,
    catalogue: _catalogue,
    signals: _signals,
    budget: _budget,
    space: _space,
    validation: _validation,
    ...asked
  } = settings;
  return JSON.parse(
    JSON.stringify({
      ...asked,
      strategy: baseName(asked.strategy),
      rules: fillRulesOf(asked).rules,
      space: space.parameters,
    }),
  ) as Readonly<Record<string, unknown>>;
}
