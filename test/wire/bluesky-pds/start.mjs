// A PDS and a PLC directory on free ports of this machine, as their own process on the Node they want.
// Prints one line of JSON when they answer; ends with its standard input.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { envToCfg, envToSecrets, PDS, readEnv } from '@atproto/pds';
import { Database, PlcServer } from '@did-plc/server';

const directory = process.argv[2];
if (!directory) throw new Error('start.mjs <empty directory>');

async function freePort() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const plcPort = await freePort();
const plc = PlcServer.create({ db: Database.mock(), port: plcPort });
await plc.start();

const port = await freePort();
const env = {
  ...readEnv(),
  devMode: true,
  port,
  hostname: 'localhost',
  dataDirectory: directory,
  blobstoreDiskLocation: join(directory, 'blobs'),
  didPlcUrl: `http://localhost:${plcPort}`,
  serviceHandleDomains: ['.test'],
  enableDidDocWithSession: true,
  inviteRequired: false,
  disableSsrfProtection: true,
  // Nobody listens there: an AppView that does not answer.
  bskyAppViewUrl: 'http://localhost:1',
  bskyAppViewDid: 'did:web:appview.test',
  modServiceUrl: 'http://localhost:1',
  modServiceDid: 'did:web:moderation.test',
  dpopSecret: randomBytes(32).toString('hex'),
  jwtSecret: randomBytes(32).toString('hex'),
  adminPassword: randomBytes(16).toString('hex'),
  plcRotationKeyK256PrivateKeyHex: randomBytes(32).toString('hex'),
  crawlers: [],
  rateLimitsEnabled: false,
};
const pds = await PDS.create(envToCfg(env), envToSecrets(env));
await pds.start();

process.stdout.write(
  `${JSON.stringify({ pds: `http://localhost:${port}`, plc: `http://localhost:${plcPort}`, port })}\n`,
);
process.stdin.resume();
await once(process.stdin, 'end');
await pds.destroy();
await plc.destroy();
process.exit(0);
