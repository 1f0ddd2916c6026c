/** Gemini CLI as npm has it, against a whole server: what its model is shown of our answers. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { makeWorld, type World } from '../../harness/world.ts';
import { isUpToDate } from '../installed.mjs';
import { scriptedModel } from './model.ts';

const here = join(import.meta.dirname, 'npm');
const program = join(here, 'node_modules', '@google', 'gemini-cli', 'bundle', 'gemini.js');
const isInstalled = isUpToDate(here);
if (!isInstalled) process.stderr.write('Gemini CLI: skipped, run node test/wire/gemini/install.mjs first\n');

/** Runs the client in a home of its own, with our server as its only one, until its model has ended. */
async function runGemini({ root, key }: World, modelUrl: string): Promise<void> {
  const home = makeFolder();
  const server = { httpUrl: `${root}/mcp`, headers: { Authorization: `Bearer ${key}` } };
  const settings = {
    mcpServers: { rostra: server },
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true },
  };
  mkdirSync(join(home, '.gemini'));
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    GEMINI_CLI_HOME: home,
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_NO_RELAUNCH: 'true',
  };
  const args = [
    program,
    '--approval-mode',
    'yolo',
    '--skip-trust',
    '--model',
    'gemini-2.5-flash',
    '--prompt',
    'Go on.',
  ];
  await promisify(execFile)(process.execPath, args, { cwd: home, env, timeout: 120_000 });
}

describe.skipIf(!isInstalled)('Gemini CLI', () => {
  it('shows its model what a tool answers, and of a refusal our words', async () => {
    const world = await makeWorld();
    const account = await world.connect();
    const model = await scriptedModel([
      { tool: 'get_post', input: { post_id: 'post_none' } },
      { tool: 'list_accounts', input: {} },
    ]);
    await runGemini(world, model.url);
    expect([...model.offered]).toEqual(expect.arrayContaining(['mcp_rostra_create_post', 'mcp_rostra_get_post']));
    expect(model.seen).toHaveLength(2);
    const [refused, done] = model.seen;
    // Its own check of structured content would say "does not match the tool's output schema" instead.
    expect(refused.error).toContain('There is no post post_none. Use an id from list_posts.');
    expect(refused.error).toContain('post.not_found');
    expect(done.output).toContain(account.id);
  });
});
