// The simulator platforms in a process of their own that answers each call so many milliseconds late; see platform.ts.
import { createServer } from 'node:http';
import { systemClock } from '#kernel/clock.ts';
import { openSandbox } from '#sandbox/network.ts';
import { listen } from '../harness/sockets.ts';

const [file = '', delay = '0'] = process.argv.slice(2);
const server = createServer();
const root = `http://127.0.0.1:${await listen(server)}`;
const sandbox = openSandbox({ file, clock: systemClock, rootUrl: () => root, control: true, rateLimits: false });
const answer = sandbox.app.callback();
const written = { count: 0, ms: 0 };
server.on('request', (req, res) => {
  // Reading goes on beside it: inboxes are polled.
  if (req.method === 'POST') {
    const began = performance.now();
    written.count += 1;
    res.once('finish', () => void (written.ms += performance.now() - began));
  }
  setTimeout(() => void answer(req, res), Number(delay));
});
process.send!(root);
process.on('message', () => process.send!(written));
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
