// sum.mjs <folder> [failed stage …]: the closing line of .ci/run, from the reports its vitest runs left in the folder.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const [folder, ...stages] = process.argv.slice(2);
let passed = 0;
let failed = 0;
const counted = new Set();
for (const file of readdirSync(folder).filter((name) => /^report-.*\.json$/.test(name))) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  // A file that could not even be loaded has no tests to count.
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.length,
  );
  const failures = report.numFailedTests + unloaded.length;
  passed += report.numPassedTests;
  failed += failures;
  if (failures > 0) counted.add(file.slice('report-'.length, -'.json'.length));
}
const alone = stages.filter((stage) => !counted.has(stage.replaceAll('/', '-')));
if (stages.length > 0) console.log(`failed stages: ${stages.join(', ')}`);
failed += alone.length;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
