import { openStore } from '#db/store/open.ts';
import { productStore } from '#db/outbox/outbox.ts';
import { sealAddresses } from '#engine/delivery/seal-addresses.ts';
import { makeWorkshop } from '#engine/media/pictures/workshop.ts';
import { openPause } from '#engine/pause/index.ts';
import { makeProcesses } from '#engine/jobs/processes.ts';
import type { Config } from '#kernel/config/config.ts';
import { makeMeter } from '#kernel/metrics/meter.ts';
import { makeLists } from '#kernel/pagination.ts';
import { makePlannedPlatforms } from '#kernel/plans.ts';
import { checkPlatforms } from './check-platforms.ts';
import { platforms } from '#platforms/index.ts';
import { toolsets } from '#tools/index.ts';
import { makeAccess } from './access.ts';
import { closeToolsets } from './beta.ts';
import { makeEngine } from './engine.ts';
import { checkCanary } from './keyring.ts';
import { makeNetwork } from './network.ts';
import { makeFacades } from './server.ts';
import { storeOptions } from './store-options.ts';
import type { Setup, Surroundings } from './setup.ts';
import { openTracing } from './tracing.ts';
import { openVerify } from './verify.ts';

export type { Surroundings } from './setup.ts';

/** Puts the whole product together; nothing runs until `start`. */
export async function compose(config: Config, surroundings: Surroundings) {
  const { clock, log, sealer } = surroundings;
  const tracing = config.traces && (await openTracing(config.traces, log));
  const bare = await openChecked(config, surroundings);
  const lists = makeLists(sealer.derive('cursor'));
  const meter = makeMeter();
  const store = productStore(bare, clock, { meter, log }, config.mail !== undefined);
  const base = Object.freeze({ store, clock, log, lists, meter, trace: tracing?.trace });
  const plannedPlatforms = makePlannedPlatforms(config.planPlatforms);
  const pause = await openPause({ ...base, setting: config.paused, installation: config.installation });
  const workshop = surroundings.workshop ?? makeWorkshop(log);
  const given = { crash: () => {}, deadlines: {}, platforms, toolsets, ...surroundings, workshop, config, base, pause };
  const setup: Setup = { ...given, plannedPlatforms, toolsets: closeToolsets(given.toolsets, config.beta) };
  const processes = makeProcesses({ ...base, keyIds: sealer.keyIds });
  checkPlatforms(setup.platforms);

  const network = makeNetwork(setup);
  const access = makeAccess(setup, network);
  const engine = await makeEngine(setup, network, access);
  const facades = makeFacades(setup, network, access, engine);
  const { modules, queues, pollers, idempotency, enqueueRecurring } = engine;
  const { callers, oauth, signin, mails } = access;
  const { delivery, events, inbox, media, posts } = modules;

  return Object.freeze({
    ...facades,
    store: base.store,
    meter,
    modules,
    callers,
    oauth,
    signin,
    mails,
    sandbox: network.sandbox,
    verify: openVerify(setup, network, engine),
    paused: pause.state,
    /** For a process next to the server: watches for the end of the pause. */
    watchPause: pause.watch,
    pollers,
    queues,
    posts,
    delivery,

    /** For a process next to the server: lists it with its master keys and, unless paused, clears up after dead ones. */
    enlist: () => (pause.state() === undefined ? processes.start() : processes.enlist()),

    async start(): Promise<void> {
      await events.start();
      callers.start();
      await processes.enlist();
      await pause.whenOver(async () => {
        await processes.start();
        await media.sweepSpool();
        await enqueueRecurring();
        delivery.start();
        for (const poller of pollers) poller.start();
      });
    },

    /** Starts no new work and lets running attempts finish. */
    async stop(): Promise<void> {
      pause.stop();
      const stopping = [...pollers, delivery, callers].map((one) => one.stop());
      await Promise.all([...stopping, inbox.idle(), idempotency.idle()]);
      // Last, so that streams report what has just ended and clients do not reconnect too early.
      await events.stop();
    },

    /** Call after `stop`, once no request is being answered. */
    async close(): Promise<void> {
      pause.stop();
      workshop.close();
      await processes.close();
      await network.outbound.close();
      network.sandbox?.close();
      await bare.close();
      await tracing?.close();
    },
  });
}

/** The store, after checking its master key and encrypting what older versions left unencrypted. */
async function openChecked(config: Config, { store, sealer, log }: Surroundings) {
  const bare = store ?? (await openStore(storeOptions(config, log)));
  await checkCanary(bare, sealer);
  const sealed = await sealAddresses(bare, sealer);
  if (sealed > 0) log.info({ endpoints: sealed }, 'user and password of webhook addresses were encrypted');
  return bare;
}

export type Product = Awaited<ReturnType<typeof compose>>;
