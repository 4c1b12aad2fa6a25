import type { AlertCondition } from './alert-facts.ts';
import type { AlertSnapshot, JournalRow } from './alert-snapshot.ts';
import type { RuleSettings } from './rule-settings.ts';

/** Returns what the exchange holds against the account: lockouts, a refused credential, a new device. */
export function accountConditions(snapshot: AlertSnapshot, rules: RuleSettings): readonly AlertCondition[] {
  return [...lockouts(snapshot, rules), ...credential(snapshot, rules), ...newDevice(snapshot, rules)];
}

function lockouts({ lockouts, atMs }: AlertSnapshot, { lockout }: RuleSettings): readonly AlertCondition[] {
  if (lockout === null) return [];
  return lockouts.map(({ budget, endsAtMs }) => ({
    key: `lockout ${budget}`,
    severity: lockout.severity,
    facts: { rule: 'lockout', budget, endsAtMs },
    sinceMs: atMs,
  }));
}

function credential(snapshot: AlertSnapshot, { credential }: RuleSettings): readonly AlertCondition[] {
  if (credential === null) return [];
  const { credential: refused, rows } = snapshot;
  const { severity } = credential;
  if (refused !== null) {
    const { name, advice, sinceMs } = refused;
    return [{ key: 'credential', severity, facts: { rule: 'credential', name, advice }, sinceMs }];
  }
  // It was refused and taken again since the last look: it is said all the same.
  const row = rows.find((row) => row.kind === 'notice' && row.subject === 'credential' && isRefusal(row));
  if (row === undefined) return [];
  return [
    {
      key: 'credential',
      severity,
      facts: { rule: 'credential', name: '', advice: '' },
      sinceMs: row.atMs,
    },
  ];
}

function isRefusal({ json }: JournalRow): boolean {
  return json.includes('"refused":true');
}

function newDevice(snapshot: AlertSnapshot, { newDevice }: RuleSettings): readonly AlertCondition[] {
  const { device, deviceBefore, atMs } = snapshot;
  if (newDevice === null || device === null || deviceBefore === null || device === deviceBefore) return [];
  return [
    {
      key: `new-device ${device}`,
      severity: newDevice.severity,
      facts: { rule: 'new-device' },
      sinceMs: atMs,
      isMoment: true,
    },
  ];
}
