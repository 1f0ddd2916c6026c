import { soakDelivery } from './delivery.ts';
import { soakFuzz } from './fuzz.ts';
import { soakPublish } from './publish.ts';
import { soakRepeats } from './repeats.ts';
import { soakUpload } from './upload.ts';

/** Each part prints its figures and answers whether everything that must hold held. */
const PARTS: Readonly<Record<string, (args: readonly string[]) => Promise<boolean>>> = {
  delivery: soakDelivery,
  fuzz: soakFuzz,
  publish: soakPublish,
  repeats: soakRepeats,
  upload: soakUpload,
};

const [asked, ...args] = process.argv.slice(2);
const names = asked === undefined ? Object.keys(PARTS) : [asked];
if (names.some((name) => !Object.hasOwn(PARTS, name))) {
  process.stderr.write(`usage: npm run soak -- [${Object.keys(PARTS).join(' | ')}]\n`);
  process.exitCode = 2;
} else {
  for (const name of names) {
    process.stdout.write(`${name} …\n`);
    if (!(await PARTS[name]!(args))) process.exitCode = 1;
  }
}
