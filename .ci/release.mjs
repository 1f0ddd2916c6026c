// Makes a release: its version in every file that says it, its heading in the changelog, a commit and a tag. It pushes
// nothing; what is to be pushed is printed.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const FILES = ['package.json', 'package-lock.json', 'server-card.json'];
const CHANGES = 'CHANGELOG.md';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();

function stop(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) stop('usage: npm run release -- <version>, as in 1.2.3');
if (git('status', '--porcelain') !== '') stop('There are changes that are not committed: commit or remove them first.');
if (git('branch', '--show-current') !== 'main') stop('Releases are made on main.');
if (git('tag', '--list', `v${version}`) !== '') stop(`There is a tag v${version} already.`);

const changes = readFileSync(CHANGES, 'utf8');
const heading = /^## \[?Unreleased\]?[ \t]*$/m;
if (!heading.test(changes)) stop(`${CHANGES} has no heading "## Unreleased".`);
const [, notes] = changes.split(heading);
if (notes.split(/^## /m)[0].trim() === '') stop(`${CHANGES} says nothing below "## Unreleased".`);

const today = new Date().toISOString().slice(0, 10);
writeFileSync(CHANGES, changes.replace(heading, `## Unreleased\n\n## ${version} - ${today}`));
for (const file of FILES) {
  const content = JSON.parse(readFileSync(file, 'utf8'));
  content.version = version;
  if (content.packages !== undefined) content.packages[''].version = version;
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
git('add', CHANGES, ...FILES);
git('commit', '--message', `release: ${version}\n\n${CHANGES} says what is new since the last one.`);
git('tag', '--annotate', `v${version}`, '--message', version);
process.stdout.write(`Made v${version}. Publish it with: git push --follow-tags\n`);
