import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A throw-away authority and a server certificate of it, so that no private key lives in the repository. */
export function makeCertificates(names: readonly string[]): { ca: string; key: string; cert: string } {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const basic = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))));
  const alternatives = extension('551d11', sequence(...names.map((name) => der(0x82, Buffer.from(name)))));
  return {
    ca: certificate('Test CA', authority.publicKey, 'Test CA', authority.privateKey, basic),
    cert: certificate('server', server.publicKey, 'Test CA', authority.privateKey, alternatives),
    key: createPrivateKey(server.privateKey.export({ type: 'pkcs8', format: 'pem' })).export({
      type: 'pkcs8',
      format: 'pem',
    }) as string,
  };
}

function certificate(subject: string, key: KeyObject, issuer: string, signer: KeyObject, extra: Buffer): string {
  const algorithm = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const validity = sequence(der(0x18, Buffer.from('20200101000000Z')), der(0x18, Buffer.from('21200101000000Z')));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([subject === issuer ? 1 : 2])),
    algorithm,
    name(issuer),
    validity,
    name(subject),
    key.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extra)),
  );
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, signer)])));
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function name(common: string): Buffer {
  const attribute = sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(common)));
  return sequence(der(0x31, attribute));
}

function extension(oid: string, value: Buffer): Buffer {
  return sequence(der(0x06, Buffer.from(oid, 'hex')), der(0x04, value));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, value: Buffer): Buffer {
  const { length } = value;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}
