/**
 * How each code block is checked. `run`: test/wire/docs/blocks.test.ts runs it against a server. `settings`, `json` and
 * `code`: test/tooling/blocks.test.ts reads it. `by`: another test does. `not`: why nothing runs it.
 */
type Way = 'run' | 'settings' | 'json' | 'code' | Readonly<{ by: string }> | Readonly<{ not: string }>;

/** A page, how a block of it begins, and how that block is checked. */
export type Checked = readonly [page: string, beginning: string, way: Way];

const DOCKER =
  'It needs Docker; its files are parsed in test/tooling/deploy.test.ts and test/tooling/container.test.ts.';
const ROOTED = 'It changes the machine as root; its unit is checked in test/tooling/deploy.test.ts.';
const CLAUDE = 'It needs Claude Code; the address and the key are those of test/wire/sdk-client.test.ts.';

export const CHECKED: readonly Checked[] = [
  ['CONTRIBUTING.md', 'npm test -- test/tools/brands', { not: 'It runs tests, of which this is one.' }],
  ['README.md', 'npm start', { by: 'test/wire/commands/launch.test.ts' }],
  ['README.md', 'export ROSTRA_KEY', 'run'],
  ['README.md', 'curl -sS "http://localhost:8080/v1/inbox/comments', 'run'],
  ['README.md', 'npm test', { not: 'It runs the tests, of which this is one.' }],
  ['README.md', 'claude mcp add', { not: CLAUDE }],
  ['README.md', 'npm run --silent rostra -- key create', 'run'],
  ['README.md', 'curl -sS http://localhost:8080/v1/accounts/connect', 'run'],

  ['docs/analytics.md', 'curl', 'run'],
  ['docs/assistants.md', 'claude mcp add --transport http rostra http://localhost:8080/mcp\n', { not: CLAUDE }],
  ['docs/assistants.md', 'claude mcp add --transport http rostra http://localhost:8080/mcp --header', { not: CLAUDE }],
  ['docs/assistants.md', '{\n  "mcpServers": {\n    "rostra": {\n      "url"', 'json'],
  ['docs/assistants.md', '{\n  "servers"', 'json'],
  ['docs/assistants.md', '{\n  "mcpServers": {\n    "rostra": {\n      "httpUrl"', 'json'],
  ['docs/assistants.md', '{\n  "command"', { by: 'test/wire/stdio.test.ts' }],
  ['docs/configuration.md', 'MEDIA_S3_ENDPOINT', 'settings'],
  ['docs/configuration.md', 'DASHBOARD_JWKS_URL', 'settings'],
  ['docs/connect/google.md', '{\n  "text": "Rye is back."', { by: 'test/wire/docs/blocks.test.ts' }],
  ['docs/connect/google.md', '{\n  "text": "Rye for half the price."', { by: 'test/wire/docs/blocks.test.ts' }],
  ['docs/connect/twitter.md', 'curl', 'run'],
  ['docs/connect/whatsapp.md', 'curl', { by: 'test/tools/whatsapp/templates.test.ts' }],
  ['docs/deploy/backups.md', 'mkdir -p backups', { not: DOCKER }],
  ['docs/deploy/backups.md', 'DATA_DIR=/tmp/rehearsal', { by: 'test/wire/backup/drill.test.ts' }],
  ['docs/deploy/backups.md', 'docker compose cp', { not: DOCKER }],
  ['docs/deploy/backups.md', 'docker compose down', { not: DOCKER }],
  ['docs/deploy/backups.md', 'docker compose up -d postgres', { not: DOCKER }],
  ['docs/deploy/systemd.md', 'useradd', { not: ROOTED }],
  ['docs/deploy/systemd.md', 'install -m', { not: ROOTED }],
  ['docs/deploy/systemd.md', 'LoadCredential', { not: ROOTED }],
  ['docs/deploy/systemd.md', '  --unit', { not: ROOTED }],
  ['docs/deploy/vps.md', 'apt-get', { not: ROOTED }],
  ['docs/deploy/vps.md', 'git clone', { not: ROOTED }],
  ['docs/deploy/vps.md', 'ROOT_URL=', 'settings'],
  ['docs/deploy/vps.md', 'docker compose up', { not: DOCKER }],
  ['docs/deploy/vps.md', 'docker compose exec rostra cat /data/first-run.txt', { not: DOCKER }],
  ['docs/deploy/vps.md', 'docker compose exec rostra node src/main.ts doctor', 'run'],
  ['docs/deploy/vps.md', 'docker compose exec rostra cat /data/master.key', { not: DOCKER }],
  ['docs/events.md', 'curl -sS', 'run'],
  ['docs/events.md', 'curl -N', 'run'],
  ['docs/events.md', 'retry: 3000', { not: 'It is what the stream answers, shortened; see test/tools/events.' }],
  ['docs/exports.md', 'curl', 'run'],
  ['docs/exports.md', 'AI_URL', 'settings'],
  ['docs/migrate.md', 'curl', 'run'],
  ['docs/migrate.md', 'const zernio', 'code'],
  ['docs/monitoring.md', 'OTEL_EXPORTER_OTLP_ENDPOINT', { by: 'test/serve/tracing.test.ts' }],
  ['docs/monitoring.md', '{"level"', 'json'],
  ['docs/monitoring.md', 'apt-get', { by: 'test/wire/deploy/fail2ban.test.ts' }],
  ['docs/platforms.md', 'curl', 'run'],
  ['docs/posting-times.md', 'curl -sS -X PUT', 'run'],
  ['docs/posting-times.md', 'curl -sS "http', 'run'],
  ['docs/repeating.md', 'curl', 'run'],
  ['docs/running.md', 'npm start', { by: 'test/wire/commands/launch.test.ts' }],
  ['docs/running.md', 'cp .env.example', { not: DOCKER }],
  ['docs/running.md', 'echo COMPOSE_FILE', { not: DOCKER }],
  ['docs/running.md', 'npm run --silent rostra -- user password', 'run'],
  ['docs/running.md', 'docker compose exec -T rostra node src/main.ts user password', 'run'],
  ['docs/running.md', 'rostra user list', 'run'],
  ['docs/running.md', 'cp -a data', 'run'],
  ['docs/running.md', 'STRIPE_SECRET_KEY', 'settings'],
  ['docs/running.md', 'npm run receiver', { by: 'test/wire/sdk-client.test.ts' }],
  ['docs/running.md', 'npm run --silent rostra -- doctor', 'run'],
  ['docs/running.md', 'npm run --silent rostra -- backup /backups', { by: 'test/wire/backup/drill.test.ts' }],
  ['docs/running.md', 'npm run --silent rostra -- backup move.tar', { by: 'test/wire/backup/drill.test.ts' }],
  ['docs/running.md', 'DATA_DIR=/srv/rostra/data', { by: 'test/wire/backup/drill.test.ts' }],
  ['docs/running.md', 'cd data', { by: 'test/wire/restore.test.ts' }],
  ['docs/verify.md', 'npm run --silent rostra -- verify', { by: 'test/wire/verify/platforms.test.ts' }],
  ['docs/verify.md', '# rostra verify', { by: 'test/wire/verify/differences.test.ts' }],
  ['docs/webhooks.md', 'curl -sS http://localhost:8080/v1/webhooks', 'run'],
  ['docs/webhooks.md', 'curl -sS "http://localhost:8080/v1/webhooks/$WEBHOOK/test"', 'run'],
  ['docs/webhooks.md', 'curl -sS "http://localhost:8080/v1/webhooks/$WEBHOOK/deliveries', 'run'],
  ['docs/webhooks.md', 'function isGenuine', 'code'],
];
