import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span as OtelSpan } from '@opentelemetry/api';
import type { ReadableSpan, Sampler, SpanExporter } from '@opentelemetry/sdk-trace';
import { ConfigError } from '#kernel/config/reader.ts';
import type { Traces } from '#kernel/config/traces.ts';
import type { Log } from '#kernel/log.ts';
import type { Attributes, Span, Trace } from '#kernel/metrics/trace.ts';
import { version } from './package.ts';

/** Sends traces; `close` sends those that are left. */
export type Tracing = Readonly<{ trace: Trace; close(): Promise<void> }>;

/** How long a stopping server waits for the receiver of its last spans. */
const CLOSE_MS = 2_000;

/** Loads the packages of OpenTelemetry, which nothing else does, and sends spans to the receiver of the settings. */
export async function openTracing(settings: NonNullable<Traces>, log: Log): Promise<Tracing> {
  const { api, sdk, resources, otlp } = await load();
  const { url, headers, service, share } = settings;
  const context = new AsyncLocalStorage<OtelSpan>();
  const exporter = new otlp.OTLPTraceExporter({ url, headers: { ...headers } });
  const named = resources.resourceFromAttributes({ 'service.name': service, 'service.version': version });
  const provider = new sdk.TracerProvider({
    resource: resources.detectResources({ detectors: [resources.resourceAttributesEnvDetector] }).merge(named),
    sampler: samplerOf(share, { api, sdk }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: reporting(exporter, url, log) })],
  });
  const tracer = provider.getTracer('rostra', version);
  const KINDS = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    internal: api.SpanKind.INTERNAL,
  } as const;

  /** The context in which a span begins: the caller's trace, none, or the current span. */
  function parentOf(isRoot: boolean, caller: string | undefined) {
    const sent = caller === undefined ? undefined : contextOf(caller);
    if (sent !== undefined) return api.trace.setSpanContext(api.ROOT_CONTEXT, sent);
    const current = isRoot ? undefined : context.getStore();
    return current === undefined ? api.ROOT_CONTEXT : api.trace.setSpan(api.ROOT_CONTEXT, current);
  }

  const trace: Trace = async (what, work) => {
    const { name, kind = 'internal', attributes = {}, root = false, continues } = what;
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, parentOf(root, continues));
    const failed = (type: string) => {
      span.setAttribute('error.type', type);
      span.setStatus({ code: api.SpanStatusCode.ERROR });
    };
    const { traceId, spanId, traceFlags } = span.spanContext();
    const shown: Span = {
      traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
      rename: (to) => void span.updateName(to),
      set: (more: Attributes) => void span.setAttributes(more),
      fail: failed,
    };
    try {
      return await context.run(span, work, shown);
    } catch (error) {
      failed(typeOf(error));
      throw error;
    } finally {
      span.end();
    }
  };

  return Object.freeze({
    trace,
    async close() {
      await provider.forceFlush({ timeoutMillis: CLOSE_MS }).catch(() => {});
      await Promise.race([
        provider.shutdown().catch(() => {}),
        new Promise((done) => setTimeout(done, CLOSE_MS).unref()),
      ]);
    },
  });
}

type Loaded = Awaited<ReturnType<typeof load>>;

/** Records a random share of the traces that begin here, whatever the caller sends, with all their spans. */
function samplerOf(share: number, { api, sdk }: Pick<Loaded, 'api' | 'sdk'>): Sampler {
  const { NOT_RECORD, RECORD_AND_SAMPLED } = sdk.SamplingDecision;
  return {
    shouldSample(context) {
      const parent = api.trace.getSpanContext(context);
      const begins = parent === undefined || parent.isRemote === true;
      const isRecorded = begins ? Math.random() < share : (parent.traceFlags & api.TraceFlags.SAMPLED) !== 0;
      return { decision: isRecorded ? RECORD_AND_SAMPLED : NOT_RECORD };
    },
    toString: () => `random ${share}`,
  };
}

async function load() {
  try {
    const [api, sdk, resources, otlp] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
    ]);
    return { api, sdk, resources, otlp };
  } catch (cause) {
    const why = 'needs the packages of OpenTelemetry, which were not installed: install without --omit=optional';
    throw new ConfigError(`OTEL_EXPORTER_OTLP_ENDPOINT ${why}`, { cause });
  }
}

/** The exporter, which logs when spans are lost and when they arrive again. */
function reporting(exporter: SpanExporter, url: string, log: Log): SpanExporter {
  const { host } = new URL(url);
  let isLosing = false;
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        const isLost = result.error !== undefined;
        if (isLost && !isLosing) log.warn({ host, why: result.error?.message }, 'traces do not arrive');
        if (!isLost && isLosing) log.info({ host }, 'traces arrive again');
        isLosing = isLost;
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:$|-)/;

/** The trace that a caller's `traceparent` names; undefined if it is invalid. */
function contextOf(traceparent: string) {
  const [, traceId = '', spanId = ''] = TRACEPARENT.exec(traceparent) ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId) || traceparent.startsWith('ff')) return undefined;
  return { traceId, spanId, traceFlags: 1, isRemote: true };
}

/** The code of an error, or else its class, because a message may contain anything. */
function typeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return [code, name].find((one): one is string => typeof one === 'string') ?? 'error';
}
