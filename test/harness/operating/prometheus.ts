import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { makeFolder } from '../folders.ts';

/** The rows of a scrape: each with its labels, and its value. */
export type Scrape = ReadonlyMap<string, string>;

export async function scrape(root: string): Promise<Scrape> {
  const text = await (await fetch(`${root}/metrics`)).text();
  const rows = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(rows.map((row) => [row.slice(0, row.lastIndexOf(' ')), row.slice(row.lastIndexOf(' ') + 1)]));
}

const RULES = resolve('docs/examples/monitoring/rostra-alerts.yml');

type Rule = Readonly<{ alert: string; expr: string; for?: string }>;

/** Which alerts of the examples are true a minute after the first scrape, by the program of Prometheus itself. */
export function alertsOf(promtool: string, before: Scrape, after: Scrape): readonly string[] {
  const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  const used = new Set(rules.flatMap(({ expr }) => expr.match(/\b(?:rostra|nodejs)_\w+/g) ?? []));
  const input_series = [...after]
    .filter(([row]) => used.has(row.split('{')[0]!))
    .map(([row, value]) => ({ series: row, values: `${before.get(row) ?? '_'} ${value}x3` }));
  const folder = makeFolder();
  return rules
    .filter(({ alert, expr }) => {
      const file = join(folder, `${alert}.yml`);
      const promql_expr_test = [
        { expr: `count(${expr}) > bool 0`, eval_time: '1m', exp_samples: [{ labels: '{}', value: 1 }] },
      ];
      writeFileSync(file, stringify({ rule_files: [], tests: [{ interval: '15s', input_series, promql_expr_test }] }));
      try {
        execFileSync(promtool, ['test', 'rules', file], { stdio: 'pipe' });
        return true;
      } catch {
        return false;
      }
    })
    .map(({ alert }) => alert);
}
