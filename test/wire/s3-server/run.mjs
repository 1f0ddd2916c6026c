// The server as a process of its own: run.mjs <folder> <bucket>. Prints its port.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const Server = createRequire(join(here, 'npm', 'package.json'))('@20minutes/s3rver');
const [directory, name] = process.argv.slice(2);
const server = new Server({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  configureBuckets: [{ name }],
});
const { port } = await server.run();
process.stdout.write(`${port}\n`);
