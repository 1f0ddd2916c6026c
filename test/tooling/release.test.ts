import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../harness/folders.ts';

const SCRIPT = resolve('.ci/release.mjs');
const NAME = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];

/** A repository with what a release changes, and a commit. */
function makeRepository(changes: string) {
  const folder = makeFolder();
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...NAME, ...args], { cwd: folder, encoding: 'utf8' }).trim();
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const write = (file: string, content: unknown) =>
    writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
  write('package.json', { name: 'rostra', version: '0.1.0' });
  write('package-lock.json', { version: '0.1.0', packages: { '': { version: '0.1.0' }, 'node_modules/a': {} } });
  write('server-card.json', { version: '0.1.0' });
  write('CHANGELOG.md', changes);
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  const env = { ...process.env, GIT_CONFIG_COUNT: '2' };
  const config = {
    GIT_CONFIG_KEY_0: 'user.name',
    GIT_CONFIG_VALUE_0: 'Ann',
    GIT_CONFIG_KEY_1: 'user.email',
    GIT_CONFIG_VALUE_1: 'ann@example.org',
  };
  const release = (...args: readonly string[]) =>
    spawnSync(process.execPath, [SCRIPT, ...args], { cwd: folder, encoding: 'utf8', env: { ...env, ...config } });
  return { git, read, write, release };
}

it('a release has its version everywhere, its notes, a commit and a tag', () => {
  const { git, read, release } = makeRepository('# Changelog\n\n## Unreleased\n\n- New\n\n## 0.1.0 - 2026-01-01\n');
  expect(release('0.2.0')).toMatchObject({ status: 0, stdout: expect.stringContaining('git push --follow-tags') });
  for (const file of ['package.json', 'package-lock.json', 'server-card.json']) {
    expect(JSON.parse(read(file))).toMatchObject({ version: '0.2.0' });
  }
  expect(JSON.parse(read('package-lock.json')).packages).toEqual({ '': { version: '0.2.0' }, 'node_modules/a': {} });
  expect(read('CHANGELOG.md')).toMatch(/^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 - \d{4}-\d\d-\d\d\n\n- New\n/);
  expect([git('log', '-1', '--format=%s'), git('describe'), git('status', '--porcelain')]).toEqual([
    'release: 0.2.0',
    'v0.2.0',
    '',
  ]);
  expect(release('0.2.0')).toMatchObject({ status: 1, stderr: 'There is a tag v0.2.0 already.\n' });
});

it('no release is made of what is not ready for one', () => {
  const { git, write, release } = makeRepository('# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-01-01\n\n- Old\n');
  const refused = (stderr: string) => ({ status: 1, stderr: expect.stringContaining(stderr) as string });
  expect(release('two')).toMatchObject(refused('usage: npm run release -- <version>'));
  expect(release('0.2.0')).toMatchObject(refused('says nothing below "## Unreleased"'));
  write('CHANGELOG.md', '# Changelog\n');
  expect(release('0.2.0')).toMatchObject(refused('not committed'));
  git('commit', '--all', '--quiet', '--message', 'second');
  expect(release('0.2.0')).toMatchObject(refused('has no heading "## Unreleased"'));
  git('switch', '--quiet', '--create', 'other');
  expect(release('0.2.0')).toMatchObject(refused('Releases are made on main.'));
  expect(git('tag', '--list')).toBe('');
});
