"""The language of a text, guessed."""

from __future__ import annotations

import pytest

from citeloom.domain.documents.language import language_of


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The robot drives along the wall, and it measures the distance to it.", "en"),
        ("Der Roboter fährt an der Wand entlang und misst die Entfernung mit einem Laser.", "de"),
        ("Le robot avance dans le couloir et les capteurs mesurent la distance des murs.", "fr"),
        ("El robot avanza por el pasillo y los sensores miden la distancia de las paredes.", "es"),
        ("Il robot avanza nel corridoio e gli sensori misurano la distanza della parete.", "it"),
        ("O robô avança pelo corredor e os sensores medem a distância das paredes, não é?", "pt"),
        ("De robot rijdt door het huis en meet met een laser de afstand van het begin.", "nl"),
        ("Робот едет вдоль стены", "ru"),
        ("ロボットは壁に沿って走る", "ja"),
        ("机器人沿着墙走", "zh"),
        ("x = 1", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_guessed_by_script_and_words(text: str, code: str) -> None:
    assert language_of(text) == code
