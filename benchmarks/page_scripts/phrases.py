"""Sentences in languages of several scripts, with what stands within prose: numbers, units, dates,
brackets, quotation marks, Latin words, addresses.

The words are of the language; a sentence means nothing. Half of them are for deciding, the other
half for reporting alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

_LATIN = {
    True: "Python Linux data Word SPSS Debian Excel Berlin model Unicode editor network".split(),
    False: "Kotlin BSD table Writer Stata Fedora Calc Lisbon method script browser server".split(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How a language is written; `fonts` are those to decide on and those to report on."""

    code: str
    english: str
    from_right: bool
    words: str
    fonts: tuple[Sequence[str], Sequence[str]]
    comma: str = ","
    stop: str = "."
    question: str = "?"
    quotes: str = '""'
    digits: str = "0123456789"
    spaced: bool = True
    marked: str = ""

    def half(self, *, decides: bool) -> list[str]:
        """The words of one half."""
        return self.words.split()[0 if decides else 1 :: 2]


LANGUAGES: Sequence[Language] = (
    Language(
        code="he",
        english="hebrew",
        from_right=True,
        fonts=(
            ("Noto Sans Hebrew", "David CLM", "DejaVu Sans"),
            ("Frank Ruehl CLM", "Noto Serif Hebrew", "Miriam CLM"),
        ),
        words="ספר ילד בית מחקר שאלה תשובה גדול קטן ראשון אחרון מדינה עיר ממשלה חוק אדם אנשים"
        " זמן שנה חודש יום עבודה חברה תרבות היסטוריה לימוד מורה תלמיד אוניברסיטה מכתב עיתון"
        " דרך מקום מים אוויר אש אדמה שמש ירח כוכב עץ פרי לחם שולחן כיסא חלון דלת מפתח רחוב גן"
        " שמיים ארץ ים הר נהר של על את עם כי או גם אבל רק כאשר אחרי לפני בין תחת מעל צה״ל בית־ספר",
        marked="שָׁלוֹם מֶלֶךְ סֵפֶר יְלָדִים בְּרֵאשִׁית תּוֹרָה אֱמֶת חׇכְמָה",
    ),
    Language(
        code="ar",
        english="arabic",
        from_right=True,
        fonts=(
            ("Noto Naskh Arabic", "Amiri", "DejaVu Sans"),
            ("Scheherazade", "Noto Sans Arabic", "Noto Kufi Arabic"),
        ),
        comma="،",
        question="؟",
        quotes="«»",
        digits="٠١٢٣٤٥٦٧٨٩",
        words="كتاب ولد بيت بحث سؤال جواب كبير صغير أول آخر دولة مدينة حكومة قانون إنسان ناس وقت"
        " سنة شهر يوم عمل مجتمع ثقافة تاريخ دراسة معلم طالب جامعة رسالة صحيفة طريق مكان ماء هواء"
        " نار أرض شمس قمر نجم شجرة ثمرة خبز طاولة كرسي نافذة باب مفتاح شارع حديقة سماء بحر جبل"
        " نهر في على من إلى عن مع أو لكن لأن بعد قبل بين تحت فوق الإسلام الآلات مسؤولية شيء"
        " الاقتصاد الأولى المادة اللغة الله لا",
        marked="كَتَبَ مُحَمَّدٌ عِلْمٌ الْحَمْدُ لِلّٰهِ قُرْآنٌ مَدْرَسَةٌ سَلَامٌ",
    ),
    Language(
        code="fa",
        english="persian",
        from_right=True,
        fonts=(
            ("Nazli", "Noto Naskh Arabic", "DejaVu Sans"),
            ("Homa", "Scheherazade", "Noto Sans Arabic"),
        ),
        comma="،",
        question="؟",
        quotes="«»",
        digits="۰۱۲۳۴۵۶۷۸۹",
        words="کتاب پسر خانه پژوهش پرسش پاسخ بزرگ کوچک نخست پایان کشور شهر دولت قانون انسان مردم"
        " زمان سال ماه روز کار جامعه فرهنگ تاریخ آموزش معلم دانشجو دانشگاه نامه روزنامه راه جا"
        " آب هوا آتش زمین خورشید ستاره درخت میوه نان میز صندلی پنجره در کلید خیابان باغ آسمان دریا"
        " کوه رود از با برای که اما چون پس پیش میان زیر بالا می‌شود کتاب‌ها گفته‌اند چهارم ژرف",  # noqa: RUF001
    ),
    Language(
        code="ur",
        english="urdu",
        from_right=True,
        fonts=(
            ("Nafees Web Naskh", "Noto Naskh Arabic", "DejaVu Sans"),
            ("Scheherazade", "Noto Sans Arabic", "Nafees Web Naskh"),
        ),
        comma="،",
        stop="۔",  # noqa: RUF001
        question="؟",
        quotes="“”",
        digits="۰۱۲۳۴۵۶۷۸۹",
        words="کتاب لڑکا گھر تحقیق سوال جواب بڑا چھوٹا پہلا آخری ملک شہر حکومت قانون انسان لوگ"
        " وقت سال مہینہ دن کام معاشرہ ثقافت تاریخ تعلیم استاد طالب یونیورسٹی خط اخبار راستہ جگہ"
        " پانی ہوا آگ زمین سورج چاند ستارہ درخت پھل روٹی میز کرسی کھڑکی دروازہ چابی سڑک باغ آسمان"
        " سمندر پہاڑ دریا میں سے کے کی کو نے پر اور لیکن بعد ہے ہیں ٹوٹ ڈاک ئے",
    ),
    Language(
        code="hi",
        english="hindi",
        from_right=False,
        fonts=(
            ("Noto Sans Devanagari", "FreeSerif"),
            ("Noto Serif Devanagari", "FreeSans"),
        ),
        stop="।",
        quotes="“”",
        digits="०१२३४५६७८९",
        words="किताब लड़का घर शोध प्रश्न उत्तर बड़ा छोटा पहला अंतिम देश शहर सरकार क़ानून मनुष्य"
        " लोग समय वर्ष महीना दिन काम समाज संस्कृति इतिहास शिक्षा अध्यापक विद्यार्थी विश्वविद्यालय"
        " पत्र अख़बार रास्ता स्थान पानी हवा आग भूमि सूर्य चंद्रमा तारा वृक्ष फल रोटी मेज़ कुर्सी"
        " खिड़की दरवाज़ा कुंजी सड़क बाग़ आकाश समुद्र पर्वत नदी में से के की को ने पर और लेकिन बाद",
    ),
    Language(
        code="th",
        english="thai",
        from_right=False,
        spaced=False,
        fonts=(("Noto Sans Thai", "FreeSerif"), ("Noto Serif Thai", "Noto Looped Thai")),
        stop="",
        question="",
        quotes="“”",
        digits="๐๑๒๓๔๕๖๗๘๙",
        words="หนังสือ เด็ก บ้าน วิจัย คำถาม คำตอบ ใหญ่ เล็ก แรก สุดท้าย ประเทศ เมือง รัฐบาล กฎหมาย มนุษย์"
        " คน เวลา ปี เดือน วัน งาน สังคม วัฒนธรรม ประวัติศาสตร์ การศึกษา ครู นักเรียน มหาวิทยาลัย จดหมาย"
        " น้ำ อากาศ ไฟ ดิน ดวงอาทิตย์ ดาว ต้นไม้ ผลไม้ ขนมปัง โต๊ะ เก้าอี้ หน้าต่าง ประตู กุญแจ ถนน สวน",
    ),
    Language(
        code="ru",
        english="russian",
        from_right=False,
        fonts=(("DejaVu Serif", "Noto Sans"), ("FreeSerif", "Noto Serif")),
        quotes="«»",
        words="книга ребёнок дом исследование вопрос ответ большой малый первый последний страна"
        " город правительство закон человек люди время год месяц день работа общество культура"
        " история учение учитель ученик университет письмо газета дорога место вода воздух огонь"
        " земля солнце луна звезда дерево плод хлеб стол стул окно дверь ключ улица сад небо море",
    ),
)


class Writer:
    """Writes phrases of a language; the same seed writes the same ones."""

    def __init__(self, language: Language, seed: str, *, decides: bool) -> None:
        self.language = language
        self.random = Random(seed)
        self.decides = decides
        self._words = language.half(decides=decides)

    def words(self, least: int = 2, most: int = 5) -> str:
        """Some words, parted as the language does."""
        chosen = self.random.sample(self._words, self.random.randint(least, most))
        return (" " if self.language.spaced else "").join(chosen)

    def latin(self, count: int = 1) -> str:
        """Latin words."""
        return " ".join(self.random.sample(_LATIN[self.decides], count))

    def number(self, most: int = 999) -> str:
        return str(self.random.randint(11, most))

    def date(self) -> str:
        r = self.random
        return f"{r.randint(1, 28):02}/{r.randint(1, 12):02}/{r.randint(1990, 2024)}"

    def native(self, text: str) -> str:
        """The number in the digits of the script."""
        return text.translate({ord(str(n)): d for n, d in enumerate(self.language.digits)})

    def sentence(self, kind: int | None = None) -> str:
        """A sentence of one of the kinds, or of a random one."""
        kinds = self.kinds()
        made = kinds[self.random.randrange(len(kinds)) if kind is None else kind % len(kinds)]
        ends = (self.language.stop,) * 7 + (self.language.question,)
        return made() + self.random.choice(ends)

    def line(self, kind: int) -> str:
        """A phrase of one of the kinds that fits in a line."""
        kinds = self.kinds()
        return kinds[kind % len(kinds)]()

    def kinds(self) -> Sequence[Callable[[], str]]:
        """All kinds of sentences."""
        language, w, n = self.language, self.words, self.number
        opening, closing = language.quotes[0], language.quotes[1]
        marked = language.marked.split() or [w(1, 1)]
        return (
            lambda: w(5, 8),
            lambda: f"{w()} {n()} {w()}",
            lambda: f"{w()} {n(99)}% {w()}",
            lambda: f"{w()} ({w(2, 3)}) {w()}",
            lambda: f"{w()} {opening}{w(2, 3)}{closing} {w()}",
            lambda: f"{w()} {self.latin()} {w()}",
            lambda: f"{w()} {self.latin(2)} {w()}",
            lambda: f"{w()} {self.date()} {w()}",
            lambda: f"{w()} {self.random.randint(1990, 2024)}-05-12 {w()}",
            lambda: f"{w()} {n()}.{n(99)} {w()}",
            lambda: f"{w()} ({self.latin()}) {w()}",
            lambda: f"{w()} ({n(2000)}) {w()}",
            lambda: f"{w()}{language.comma} {w()}",
            lambda: f"{w()}: {w()}",
            lambda: f"{w()} https://example.org/{self.latin().lower()} {w()}",
            lambda: f"{w()} {n(23)}:{self.random.randint(10, 59)} {w()}",
            lambda: f"{w()} {self.latin()} {n(2000)} {w()}",
            lambda: f"{w()} [{n(40)}] {w()}",
            lambda: f"{w()} {self.native(n(2000))} {w()}",
            lambda: f"{w()} {self.random.choice(marked)} {w()}",
            lambda: f"{self.native(n(99))}. {w(3, 5)}",
            lambda: f"{w(1, 2)}/{w(1, 2)} {w()}",
            lambda: f"{w()} {n(99)},{self.random.randint(100, 999)} {w()}",
            lambda: f"{w()} {n(99)} kg {w()}",
            lambda: f"{w()} {self.latin(3)} {w()} {self.latin()} {w()}",
            lambda: f"{w()} “{self.latin()}” {w()}",
            lambda: f"{w()} – {w()}",  # noqa: RUF001
            lambda: f"{w()} {self.native(n(99))}% {w()}",
            lambda: f"({n()[:1]}) {w(3, 5)}",
            lambda: f"{w()} user@example.org {w()}",
            lambda: f"{w()} C++ {w()}",
            lambda: f"{w()} −{n(99)} {w()}",  # noqa: RUF001
        )
