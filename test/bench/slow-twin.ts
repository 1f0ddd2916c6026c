// The stand-in platforms in a process of their own that answers each call so many milliseconds late; see publish.ts.
import { createServer } from 'node:http';
import { systemClock } from '../../src/kernel/clock.ts';
import { openSandbox } from '../../src/sandbox/network.ts';
import { listen } from '../harness/sockets.ts';

const [file = '', delay = '0'] = process.argv.slice(2);
const server = createServer();
const root = `http://127.0.0.1:${await listen(server)}`;
const sandbox = openSandbox({ file, clock: systemClock, rootUrl: () => root, control: true, rateLimits: false });
const answer = sandbox.app.callback();
server.on('request', (req, res) => void setTimeout(() => void answer(req, res), Number(delay)));
process.send!(root);
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
