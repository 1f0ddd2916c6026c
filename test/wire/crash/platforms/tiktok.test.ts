import { tiktokSubjects } from '#test/platforms/conformance/subjects/tiktok.ts';
import { publishesThroughKills } from '../posts.ts';

for (const subject of tiktokSubjects) publishesThroughKills(subject);
