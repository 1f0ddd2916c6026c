// sum.mjs <folder> [failed stage …]: the closing line of .ci/run, from the reports its vitest runs left in the folder.
// sum.mjs --failed <report>: the files of a report that failed, one a line.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const isFailed = ({ status }) => status === 'failed';

if (process.argv[2] === '--failed') {
  const { testResults } = existsSync(process.argv[3]) ? read(process.argv[3]) : { testResults: [] };
  for (const { name } of testResults.filter(isFailed)) console.log(relative(process.cwd(), name));
} else close(process.argv[2], process.argv.slice(3));

/** Counts each file of tests as it ended the last time it ran. */
function close(folder, stages) {
  const reports = readdirSync(folder)
    .filter((name) => /^report-.*\.json$/.test(name))
    .map((name) => ({ stage: name.slice('report-'.length, -'.json'.length), ...read(join(folder, name)) }))
    .sort((a, b) => a.startTime - b.startTime);
  const files = new Map(
    reports.flatMap(({ stage, testResults }) => testResults.map((file) => [file.name, { stage, ...file }])),
  );
  let passed = 0;
  let failed = 0;
  const counted = new Set();
  for (const { stage, assertionResults, ...file } of files.values()) {
    const failures = assertionResults.filter(isFailed).length;
    passed += assertionResults.filter(({ status }) => status === 'passed').length;
    // A file that could not even be loaded has no tests to count.
    failed += failures === 0 && isFailed(file) ? 1 : failures;
    if (isFailed(file)) counted.add(stage);
  }
  const alone = stages.filter((stage) => !counted.has(stage.replaceAll('/', '-')));
  if (stages.length > 0) console.log(`failed stages: ${stages.join(', ')}`);
  failed += alone.length;
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
