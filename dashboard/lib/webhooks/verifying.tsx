import type { JSX } from 'preact';
import { Copy } from '../forms.tsx';

const CODE = `const expected = 'sha256=' + createHmac('sha256', SECRET).update(\`\${timestamp}.\`).update(rawBody).digest('hex');`;

/** Explains how a receiver verifies that a request is genuine. */
export function Verifying(): JSX.Element {
  return (
    <details class="narrow">
      <summary>How to verify a signature</summary>
      <p>
        <code>X-Service-Signature-V2</code> is the HMAC-SHA256, by the secret of the endpoint, of the header{' '}
        <code>X-Service-Timestamp</code>, a dot and the body as it came. Compare in constant time, refuse timestamps
        more than five minutes away, and remember <code>X-Service-Delivery</code>: a delivery may come twice.
      </p>
      <Copy what="the line that signs" text={CODE} />
      <p>
        Whole receivers, for Node and for a shell: <code>docs/webhooks.md</code>
      </p>
    </details>
  );
}
