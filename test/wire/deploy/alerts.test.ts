import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { startProduct } from '../clients/product.ts';
import { pathOf } from './programs.mjs';

const PROMTOOL = pathOf('promtool');

/** What promtool says of a part of ours, with its exit code. */
function check(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(PROMTOOL!, ['check', ...args], { input, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

it.skipIf(PROMTOOL === undefined)('Prometheus takes the rules, its configuration and the metrics', async () => {
  for (const args of [
    ['rules', 'docs/examples/monitoring/rostra-alerts.yml'],
    ['config', 'docs/examples/monitoring/prometheus.yml'],
  ])
    expect(check(args)).toEqual({ status: 0, said: expect.stringContaining('SUCCESS') });

  const server = await startProduct(makeFolder());
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  // The names of what Node says of itself are those of prom-client.
  const own = metrics.replaceAll(/^(?:# \w+ )?(?:nodejs|process)_.*\n/gm, '');
  expect(own).toContain('rostra_ready 1\n');
  expect(check(['metrics'], own)).toEqual({ status: 0, said: '' });
});
