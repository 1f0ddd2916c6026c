import { youtubeSubject } from '#test/platforms/conformance/subjects/youtube.ts';
import { publishesThroughKills } from '../posts.ts';

publishesThroughKills(youtubeSubject);
