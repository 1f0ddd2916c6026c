import { createServer } from 'node:https';
import { expect, onTestFinished } from 'vitest';
import { listen, stop } from '../../harness/sockets.ts';
import { receiverCertificates } from '../../harness/webhooks/receiver.ts';
import type { World } from '../../harness/world.ts';
import { makeTrigger, runNode, type Binary, type Credentials, type Item } from './n8n.ts';
import { faultsOf, type RecordName } from './records.ts';

type Values = Readonly<Record<string, unknown>>;

/** What a person enters once for a server. */
export const credentialsFor = ({ root, key }: World): Credentials => ({ baseUrl: `${root}/`, apiKey: key });

/** Drives the n8n node against a world; `used` are the operations that were run with success. */
export function driveNode(world: World, used = new Set<string>()) {
  /** The items a run makes, each held against what the node and the steps behind it need. */
  async function items(operation: string, record: RecordName, values: Values = {}, binary?: Binary) {
    used.add(operation);
    const made = await runNode(operation, values, credentialsFor(world), binary);
    const rows = made.map(({ json }) => json);
    const faults = rows.flatMap((row) => faultsOf(record, row));
    expect({ operation, faults }).toEqual({ operation, faults: [] });
    return rows;
  }

  return Object.freeze({
    used,
    items,
    /** The one item a run makes. */
    async run(operation: string, record: RecordName, values: Values = {}, binary?: Binary) {
      const [row, ...more] = await items(operation, record, values, binary);
      expect({ operation, more: more.length }).toEqual({ operation, more: 0 });
      return row;
    },
  });
}

/** A workflow with the trigger, behind an address that deliveries reach; `runs` are the items its runs began with. */
export async function startWorkflow(world: World, values: Values) {
  const answered: number[] = [];
  const runs: Item[] = [];
  const front = createServer({ key: receiverCertificates.key, cert: receiverCertificates.cert }, (req, res) => {
    void (async () => {
      const raw = Buffer.concat(await req.toArray());
      const { status, run = [] } = await trigger.receive(req.headers, raw);
      answered.push(status);
      runs.push(...run);
      res.writeHead(status).end();
    })();
  });
  onTestFinished(() => stop(front));
  const url = `https://localhost:${await listen(front)}/webhook/1`;
  const trigger = makeTrigger(url, values, credentialsFor(world));
  return Object.freeze({ trigger, answered, runs });
}
