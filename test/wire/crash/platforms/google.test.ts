import { googleSubject } from '#test/platforms/conformance/subjects/google.ts';
import { publishesThroughKills } from '../posts.ts';

publishesThroughKills(googleSubject);
