import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect } from 'vitest';
import { FAMILIES } from '#kernel/metrics/families.ts';
import { upset } from '../../harness/platforms/bluesky-people.ts';
import { it, makeWorld, type World } from '../../harness/world.ts';

type Sample = Readonly<{ name: string; labels: Readonly<Record<string, string>>; value: number }>;

async function scrape(world: World): Promise<readonly Sample[]> {
  const answer = await fetch(`${world.root}/metrics`);
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name, inner = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)!;
    const labels = Object.fromEntries([...inner.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text]));
    return { name: name!, labels, value: Number(value) };
  });
}

/** The sum of the samples of a name with these labels; undefined if there are none. */
function valueOf(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}) {
  const fitting = samples.filter(
    (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
  return fitting.length === 0 ? undefined : fitting.reduce((sum, { value }) => sum + value, 0);
}

const namesOf = ({ name, type }: (typeof FAMILIES)[number]) =>
  type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];

describe('the metrics', () => {
  it('are all there from the first scrape, at 0 where nothing has happened', async ({ shared: world }) => {
    const samples = await scrape(world);
    const shown = new Set(samples.map(({ name }) => name));
    expect(FAMILIES.flatMap(namesOf).filter((name) => !shown.has(name))).toEqual([]);
    for (const [name, labels] of [
      ['rostra_post_targets_total', { platform: 'bluesky', outcome: 'failed' }],
      ['rostra_platform_calls_total', { platform: 'instagram', outcome: 'throttled' }],
      ['rostra_webhook_attempts_total', { outcome: 'failed' }],
      ['rostra_jobs_due', { kind: 'take_push' }],
      ['rostra_accounts', { platform: 'zalo', state: 'reconnect_required' }],
      ['rostra_http_requests_total', { facade: 'rest', method: 'POST', route: '/v1/posts', status: '500' }],
      ['rostra_http_requests_total', { facade: 'mcp', method: 'POST', route: '/mcp create_post', status: '500' }],
      ['rostra_http_requests_total', { facade: 'push', method: 'POST', route: '/push/{platform}', status: '200' }],
      ['rostra_post_overdue_seconds', {}],
    ] as const)
      expect([name, labels, valueOf(samples, name, labels)]).toEqual([name, labels, 0]);
    expect(valueOf(samples, 'rostra_ready')).toBe(1);
    expect(valueOf(samples, 'rostra_build_info', { store: 'sqlite' })).toBe(1);
    expect(valueOf(samples, 'rostra_store_size_bytes')).toBeGreaterThan(0);
    expect(valueOf(samples, 'nodejs_eventloop_lag_p99_seconds')).toBeDefined();
  });

  it('are few enough to be read every 15 seconds', async ({ shared: world }) => {
    const text = await (await fetch(`${world.root}/metrics`)).text();
    expect(text.length).toBeLessThan(200_000);
  });

  it('follow the conventions of Prometheus', () => {
    for (const { name, type, help, labels } of FAMILIES) {
      expect(name).toMatch(/^rostra_[a-z_]+$/);
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(help).toMatch(/^\S.*\.$/);
      for (const label of labels) expect(label).toMatch(/^[a-z_]+$/);
    }
    expect(new Set(FAMILIES.map(({ name }) => name)).size).toBe(FAMILIES.length);
  });

  it('have a bounded number of rows, whatever is asked for', async ({ world }) => {
    await scrape(world);
    const before = await scrape(world);
    for (let at = 0; at < 20; at += 1) {
      await world.rest(`GET /v1/posts/post_${at}`);
      await fetch(`${world.root}/nowhere/${at}?x=${at}`);
      await world.mcp(`no_tool_${at}`).catch(() => {});
    }
    const after = await scrape(world);
    const rows = (samples: readonly Sample[]) => samples.filter(({ name }) => name.startsWith('rostra_http')).length;
    // The statuses 404 of one route and of none, and those of a call without a tool.
    expect(rows(after) - rows(before)).toBeLessThan(30);
    expect(JSON.stringify(after)).not.toMatch(/post_1|nowhere|no_tool/);
  });

  it('count calls by route, and those of MCP by tool', async ({ world }) => {
    await world.rest('GET /v1/accounts');
    await world.mcp('list_accounts');
    const samples = await scrape(world);
    const count = 'rostra_http_request_duration_seconds_count';
    expect(valueOf(samples, count, { facade: 'rest', method: 'GET', route: '/v1/accounts' })).toBe(1);
    expect(valueOf(samples, count, { facade: 'mcp', route: '/mcp list_accounts' })).toBe(1);
    const bucket = { facade: 'rest', method: 'GET', route: '/v1/accounts', le: '+Inf' };
    expect(valueOf(samples, 'rostra_http_request_duration_seconds_bucket', bucket)).toBe(1);
  });
});

const warningsOf = (world: World) =>
  world.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn' || level === 'error');

describe('in a storm, a metric and a warning tell of', () => {
  it('a post that is published, and one that fails on a throttling platform', async () => {
    const world = await makeWorld();
    const account = await world.connect();
    const post = { text: 'Hello', account_ids: [account.id], publish_now: true };
    expect((await world.rest('POST /v1/posts', post)).status).toBe(201);
    upset(world, 'throttled', { times: 100 });
    await world.rest('POST /v1/posts', { ...post, text: 'Again' });
    await world.settle();
    const during = await scrape(world);
    expect(valueOf(during, 'rostra_post_targets_total', { platform: 'bluesky', outcome: 'published' })).toBe(1);
    expect(valueOf(during, 'rostra_publish_lateness_seconds_count', { platform: 'bluesky' })).toBe(1);
    expect(
      valueOf(during, 'rostra_platform_calls_total', { platform: 'bluesky', outcome: 'throttled' }),
    ).toBeGreaterThan(0);
    expect(warningsOf(world)).toContainEqual(
      expect.objectContaining({ msg: 'the platform throttles', platform: 'bluesky' }),
    );
  });

  it('how late posts are, which drafts that were written long ago are not', async () => {
    const world = await makeWorld();
    const account = await world.connect();
    const draft = await world.rest('POST /v1/posts', { text: 'Hello', account_ids: [account.id] });
    await world.pass(86_400_000);
    await world.rest(`POST /v1/posts/${draft.body.id}/publish`);
    await world.settle();
    const samples = await scrape(world);
    expect(valueOf(samples, 'rostra_publish_lateness_seconds_count', { platform: 'bluesky' })).toBe(1);
    expect(valueOf(samples, 'rostra_publish_lateness_seconds_sum', { platform: 'bluesky' })).toBeLessThan(60);
  });

  it('an account whose access was revoked, and the post that failed for it', async () => {
    const world = await makeWorld();
    const account = await world.connect();
    upset(world, 'revoked');
    const { body } = await world.rest('POST /v1/posts', { text: 'Hi', account_ids: [account.id], publish_now: true });
    await world.settle();
    const samples = await scrape(world);
    expect(valueOf(samples, 'rostra_accounts', { platform: 'bluesky', state: 'reconnect_required' })).toBe(1);
    expect(valueOf(samples, 'rostra_account_disconnections_total', { platform: 'bluesky' })).toBe(1);
    expect(valueOf(samples, 'rostra_post_targets_total', { platform: 'bluesky', outcome: 'failed' })).toBe(1);
    const warnings = warningsOf(world);
    expect(warnings).toContainEqual(
      expect.objectContaining({
        msg: 'an account must be connected again',
        account_id: account.id,
        platform: 'bluesky',
      }),
    );
    expect(warnings).toContainEqual(
      expect.objectContaining({ msg: 'a post failed', event: 'post.failed', id: body.error?.meta?.id ?? body.id }),
    );
  });

  it('a receiver that is dead, until its delivery is given up', async () => {
    const world = await makeWorld();
    const receiver = await world.receive(['account.connected']);
    await receiver.close();
    await world.connect();
    await world.settle();
    const first = await scrape(world);
    expect(valueOf(first, 'rostra_webhook_attempts_total', { outcome: 'retried' })).toBe(1);
    expect(valueOf(first, 'rostra_webhook_endpoints', { state: 'failing' })).toBe(1);
    expect(warningsOf(world)).toMatchObject([{ msg: 'a webhook endpoint is failing', webhook_id: receiver.id }]);
    for (let hour = 0; hour < 24; hour += 1) await world.pass(3_600_000);
    const last = await scrape(world);
    expect(valueOf(last, 'rostra_webhook_attempts_total', { outcome: 'failed' })).toBe(1);
    expect(warningsOf(world)).toContainEqual(
      expect.objectContaining({ msg: 'a webhook delivery was given up', webhook_id: receiver.id, attempts: 10 }),
    );
  });
});

const example = (name: string) => readFileSync(`docs/examples/monitoring/${name}`, 'utf8');

/** Every expression of the alert rules and of the dashboard. */
function expressions(): readonly string[] {
  const rules = parse(example('rostra-alerts.yml')) as { groups: { rules: { expr: string }[] }[] };
  const dashboard = JSON.parse(example('rostra-dashboard.json')) as { panels: { targets?: { expr: string }[] }[] };
  return [
    ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ];
}

describe('the examples for Prometheus and Grafana', () => {
  it('name metrics, labels and values that are there', async ({ shared: world }) => {
    const samples = await scrape(world);
    const all = expressions();
    expect(all.length).toBeGreaterThan(40);
    for (const expr of all) {
      const named = [...expr.matchAll(/\b((?:rostra|nodejs|process)_\w+|up)(?:\{([^}]*)\})?/g)];
      expect([expr, named.length > 0]).toEqual([expr, true]);
      for (const [, name, matchers = ''] of named) {
        if (name === 'up') continue;
        const rows = samples.filter((one) => one.name === name);
        expect([expr, name, rows.length > 0]).toEqual([expr, name, true]);
        for (const [, label, operator, value] of matchers.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)) {
          const values = rows.map(({ labels }) => labels[label!]);
          const fits = (one = '') => (operator === '=~' ? new RegExp(`^(?:${value})$`).test(one) : one === value);
          expect([expr, label, values.some(fits)]).toEqual([expr, label, true]);
        }
      }
    }
  });

  it('group by labels that are there', async ({ shared: world }) => {
    const samples = await scrape(world);
    const labels = new Set(['instance', ...samples.flatMap((one) => Object.keys(one.labels))]);
    const texts = [...expressions(), example('rostra-alerts.yml'), example('rostra-dashboard.json')].join('\n');
    const used = [
      ...[...texts.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list]) => list!.split(/, */)),
      ...[...texts.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!),
      ...[...texts.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!),
    ];
    expect(used.filter((label) => !labels.has(label))).toEqual([]);
  });
});
