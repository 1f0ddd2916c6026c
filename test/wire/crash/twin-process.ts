/** Runs a simulator on the file given as argument and prints where it listens; killed by the test that started it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '#kernel/clock.ts';
import { openSandbox } from '#sandbox/network.ts';

const server = createServer();
const root = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const sandbox = openSandbox({ file: process.argv[2] ?? '', clock: systemClock, rootUrl: root, control: true });
const answer = sandbox.app.callback();
server.on('request', (req, res) => void answer(req, res));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${root()}\n`));
